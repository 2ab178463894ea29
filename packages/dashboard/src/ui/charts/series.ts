/** The colour of each method, the same in every chart. */
const colours: Readonly<Record<string, string>> = {
  momo: 'var(--v1)',
  card: 'var(--v2)',
  'bank-transfer': 'var(--v3)',
  bank: 'var(--v4)',
}

export const colourOf = (method: string): string => colours[method] ?? 'var(--v5)'
export const outColour = 'var(--v6)'
export const refundColour = 'var(--v4)'

const order = Object.keys(colours)

/** Methods in the order of every chart and legend. */
export const inOrder = (methods: readonly string[]): string[] =>
  methods.toSorted((a, b) => (order.indexOf(a) + 1 || order.length + 1) - (order.indexOf(b) + 1 || order.length + 1))
