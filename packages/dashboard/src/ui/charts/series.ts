/** The colour of each method, the same in every chart. */
const colours: Readonly<Record<string, string>> = {
  momo: 'var(--v1)',
  card: 'var(--v2)',
  'bank-transfer': 'var(--v3)',
  bank: 'var(--v4)',
}

export const colourOf = (method: string): string => colours[method] ?? 'var(--v5)'
export const outColour = 'var(--v6)'
