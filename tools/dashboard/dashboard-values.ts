import { currencies } from '../../packages/server/src/money/currencies.ts'

/** packages/dashboard/src/generated/values.ts: tables of the server that the dashboard shows by. */
export function dashboardValues(): string {
  const rows = Object.entries(currencies).map(([code, { exponent }]) => `  ${code}: ${exponent},\n`)
  return `// Made by npm run generate from tables of the server; do not edit.

/** The decimals of each currency. */
export const exponents: Readonly<Record<string, number>> = {
${rows.join('')}}
`
}
