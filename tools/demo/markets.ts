/** Where the customers of the demo's shop are, and what they pay. No number or name belongs to a real person. */
import type { Chance } from './random.ts'

export interface Market {
  readonly country: string
  readonly currency: string
  /** Of the operators: the dialling code, the prefixes after it, and how many digits follow. */
  readonly dialling: string
  readonly prefixes: readonly string[]
  readonly digits: number
  /** Amounts in major units, and the step that prices have there. */
  readonly least: number
  readonly most: number
  readonly step: number
  readonly firstNames: readonly string[]
  readonly lastNames: readonly string[]
}

const kenya: Market = {
  ...{ country: 'KE', currency: 'KES', dialling: '+254', prefixes: ['70', '71', '72', '74', '79'], digits: 7 },
  ...{ least: 250, most: 14_000, step: 50 },
  firstNames: ['Wanjiru', 'Achieng', 'Kiprono', 'Mwende', 'Otieno', 'Njeri', 'Barasa', 'Chebet', 'Mutua', 'Nyambura'],
  lastNames: ['Kamau', 'Ochieng', 'Koech', 'Musyoka', 'Wekesa', 'Njoroge', 'Cheruiyot', 'Odhiambo', 'Maina', 'Kilonzo'],
}

const uganda: Market = {
  ...{ country: 'UG', currency: 'UGX', dialling: '+256', prefixes: ['76', '77', '78'], digits: 7 },
  ...{ least: 8_000, most: 420_000, step: 1_000 },
  firstNames: ['Nakato', 'Okello', 'Namusoke', 'Mugisha', 'Akello', 'Kato'],
  lastNames: ['Ssempijja', 'Opio', 'Nalwanga', 'Tumusiime', 'Adongo', 'Byaruhanga'],
}

const tanzania: Market = {
  ...{ country: 'TZ', currency: 'TZS', dialling: '+255', prefixes: ['74', '75', '76'], digits: 7 },
  ...{ least: 6_000, most: 240_000, step: 500 },
  firstNames: ['Neema', 'Juma', 'Rehema', 'Baraka', 'Zawadi'],
  lastNames: ['Mushi', 'Mwakyusa', 'Kimaro', 'Mollel', 'Shirima'],
}

const ghana: Market = {
  ...{ country: 'GH', currency: 'GHS', dialling: '+233', prefixes: ['24', '54', '55'], digits: 7 },
  ...{ least: 25, most: 1_400, step: 5 },
  firstNames: ['Akosua', 'Kwame', 'Abena', 'Yaw', 'Efua'],
  lastNames: ['Mensah', 'Boateng', 'Owusu', 'Asante', 'Amoah'],
}

const rwanda: Market = {
  ...{ country: 'RW', currency: 'RWF', dialling: '+250', prefixes: ['78', '79'], digits: 7 },
  ...{ least: 2_500, most: 120_000, step: 500 },
  firstNames: ['Uwase', 'Mugabo', 'Ingabire', 'Niyonzima'],
  lastNames: ['Uwimana', 'Habimana', 'Mukamana', 'Nkurunziza'],
}

const ivoryCoast: Market = {
  ...{ country: 'CI', currency: 'XOF', dialling: '+225', prefixes: ['05'], digits: 8 },
  ...{ least: 2_000, most: 90_000, step: 500 },
  firstNames: ['Aya', 'Kouassi', 'Adjoua', 'Yao', 'Amenan'],
  lastNames: ['Koné', 'Kouamé', 'Traoré', "N'Guessan", 'Bamba'],
}

const senegal: Market = {
  ...{ country: 'SN', currency: 'XOF', dialling: '+221', prefixes: ['77', '78'], digits: 7 },
  ...{ least: 1_500, most: 75_000, step: 500 },
  firstNames: ['Awa', 'Moussa', 'Fatou', 'Cheikh'],
  lastNames: ['Ndiaye', 'Diop', 'Sarr', 'Faye'],
}

/** Cards and bank transfers only: there is no mobile money for charges. */
const nigeria: Market = {
  ...{ country: 'NG', currency: 'NGN', dialling: '+234', prefixes: ['803', '806'], digits: 7 },
  ...{ least: 4_500, most: 165_000, step: 500 },
  firstNames: ['Chiamaka', 'Babatunde', 'Ngozi', 'Emeka', 'Halima', 'Funke'],
  lastNames: ['Okonkwo', 'Adeyemi', 'Eze', 'Bello', 'Balogun', 'Nwosu'],
}

export const markets = { kenya, uganda, tanzania, ghana, rwanda, ivoryCoast, senegal, nigeria }

export interface Person {
  readonly firstName: string
  readonly lastName: string
  readonly phone: string
  readonly email: string
}

export function personIn(market: Market, chance: Chance): Person {
  const [firstName, lastName] = [chance.pick(market.firstNames), chance.pick(market.lastNames)]
  const plain = (name: string) =>
    name
      .normalize('NFD')
      .replaceAll(/[^A-Za-z]/g, '')
      .toLowerCase()
  const local = Array.from({ length: market.digits - 1 }, () => chance.between(0, 9)).join('')
  return {
    firstName,
    lastName,
    // The sandbox gives a meaning to some numbers that end in 9.
    phone: `${market.dialling}${chance.pick(market.prefixes)}${local}${chance.between(0, 8)}`,
    email: `${plain(firstName)}.${plain(lastName)}@example.com`,
  }
}

/** Many small payments and few large ones, at prices that shops have. */
export function amountIn({ least, most, step }: Market, chance: Chance): number {
  const share = chance.next() ** 2.4
  return Math.max(least, Math.round((least + share * (most - least)) / step) * step)
}
