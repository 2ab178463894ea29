const firstNames =
  'Achieng Akosua Amina Aminata Chidi Chipo Daniel Esther Fatou Grace Ibrahim Jabari Kofi Kwame Lerato Moses Naledi Ngozi Ousmane Thabo Wanjiku Zainab'
const lastNames =
  'Abara Banda Bello Botha Diallo Dlamini Kamau Kato Mensah Moyo Mwangi Ndiaye Njoroge Nkosi Okafor Okello Otieno Owusu Phiri Sesay Tembo Traore'

/** The holder of an account. Two bytes choose each name, so the same digest always has the same name. */
export function holderName(digest: Buffer): string {
  return `${pick(firstNames, digest.readUInt16BE(0))} ${pick(lastNames, digest.readUInt16BE(2))}`
}

const pick = (names: string, number: number) => {
  const list = names.split(' ')
  return list[number % list.length]
}
