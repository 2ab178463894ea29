import { InvalidArgumentError, Option } from 'commander'

export type Environment = 'live' | 'sandbox'

/** Reads a whole number in these bounds, or says what it should have been. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be from ${least} to ${most}.`)
    return value
  }
}

export function environment(about: string): Option {
  return new Option('--env <environment>', about).choices(['sandbox', 'live'])
}
