import { InvalidArgumentError, Option } from 'commander'
import { CliError } from './cli-error.ts'

export type Environment = 'live' | 'sandbox'

/** Reads a whole number in these bounds, or throws an error that names them. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be from ${least} to ${most}.`)
    return value
  }
}

/** Checks an amount in major units and returns it as text: the server knows how many decimals are valid. */
export function amount(text: string): string {
  const problem = amountProblem(text)
  if (problem !== undefined) throw new InvalidArgumentError(problem)
  return text
}

export function amountProblem(text: string): string | undefined {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) return 'It must be a number above 0, such as 1500 or 99.50.'
  if (text.replace('.', '').replace(/^0+/, '').length > 15) return 'It has more than 15 digits.'
  return undefined
}

export function day(text: string): string {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text))
    throw new InvalidArgumentError('It must be a day such as 2026-11-15.')
  return text
}

/** The server would name its own parameters, not the options. */
export function requireOrder(from: string, to: string | undefined): void {
  if (to !== undefined && to < from) throw new CliError('usage', `--to ${to} is before --from ${from}.`)
}

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Reads a duration such as 90s, 15m, 3h, 2d or 1h30m, in seconds. */
export function span(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smhd])/g)]
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join('') === text
  const seconds = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitSeconds[unit as keyof typeof unitSeconds],
    0,
  )
  if (!isWhole || seconds === 0) throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 3h or 2d.')
  return seconds
}

export function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/webhooks.')
}

/** The URL of a Malipo, without a path: every call adds its own. */
export function origin(text: string): string {
  const found = originIn(text)
  if (found === undefined)
    throw new InvalidArgumentError('It must be a URL without a path, such as http://127.0.0.1:8080.')
  return found
}

export function originIn(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.username === ''
  return isPlain ? url.origin : undefined
}

/** Three letters, in any case. */
export function currency(text: string): string {
  if (!/^[A-Za-z]{3}$/.test(text)) throw new InvalidArgumentError('It must be a currency such as KES.')
  return text.toUpperCase()
}

/** Two letters, in any case. */
export function country(text: string): string {
  if (!/^[A-Za-z]{2}$/.test(text)) throw new InvalidArgumentError('It must be a country such as KE.')
  return text.toUpperCase()
}

/** The status of a response, or a class such as 4xx. */
export function responseStatus(text: string): string {
  if (!/^[1-5](\d\d|xx)$/i.test(text)) throw new InvalidArgumentError('It must be a status such as 422, 4xx or 5xx.')
  return text.toLowerCase()
}

export function environment(about: string): Option {
  return new Option('--env <environment>', about).choices(['sandbox', 'live'])
}
