import type { CliEnvironment } from './cli-environment.ts'
import { controlCode } from './terminal-text.ts'

type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow'
export type Paint = (colour: Colour, text: string) => string

/** Colours only on a terminal that supports them, unless the person turned them off; otherwise plain text. */
export function createPaint({ variables, terminal }: CliEnvironment, isWanted: boolean): Paint {
  const isPlain = !(terminal && isWanted) || Boolean(variables['NO_COLOR']) || variables['TERM'] === 'dumb'
  return isPlain ? (_, text) => text : painted
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
} as const satisfies Record<Colour, readonly [start: number, end: number]>

function painted(colour: Colour, text: string): string {
  const [start, end] = codes[colour]
  return `${controlCode(`\u001b[${start}m`)}${text}${controlCode(`\u001b[${end}m`)}`
}

const statusColours: Readonly<Record<string, Colour>> = {
  SUCCESSFUL: 'green',
  SUCCESS: 'green',
  FAILED: 'red',
  PENDING: 'yellow',
  CREATED: 'yellow',
}

/** A status in its usual colour. */
export function paintStatus(paint: Paint, status: string): string {
  const colour = statusColours[status.toUpperCase()]
  return colour ? paint(colour, status) : status
}
