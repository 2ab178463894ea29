const format = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `200k`: only axes shorten amounts. */
export const axisText = (value: number): string => format.format(Math.abs(value)).toLowerCase().replace('m', 'M')
