import { createHash } from 'node:crypto'
import type { Call, Reply } from '../dialect.ts'
import { type Fields, findKindTrouble, resolveForms } from './read.ts'
import { refuse } from './words.ts'

const firstNames =
  'Achieng Akosua Amina Aminata Chidi Chipo Daniel Esther Fatou Grace Ibrahim Jabari Kofi Kwame Lerato Moses Naledi Ngozi Ousmane Thabo Wanjiku Zainab'
const lastNames =
  'Abara Banda Bello Botha Diallo Dlamini Kamau Kato Mensah Moyo Mwangi Ndiaye Njoroge Nkosi Okafor Okello Otieno Owusu Phiri Sesay Tembo Traore'

/** Who holds an account: the same number always has the same name. */
export function resolve({ json }: Call): Reply {
  const trouble = findKindTrouble(json, resolveForms, '')
  if (trouble) return refuse(400, trouble.code, trouble.message)
  const { kind, operator, phone, bankCode, branchCode, accountNumber } = json as Fields
  const number = String(phone ?? accountNumber)
  if (number.endsWith('089')) return refuse(404, 'NOT_FOUND', 'There is no such account.')
  const where = [kind, operator ?? bankCode, branchCode ?? '', number].join('/')
  const digest = createHash('sha256').update(where).digest()
  const accountName = `${pick(firstNames, digest.readUInt16BE(0))} ${pick(lastNames, digest.readUInt16BE(2))}`
  return { status: 200, body: { accountId: `acc_${digest.toString('hex', 4, 16)}`, accountName } }
}

const pick = (names: string, number: number) => {
  const list = names.split(' ')
  return list[number % list.length]
}
