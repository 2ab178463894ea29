import { styleText } from 'node:util'
import type { CliEnvironment } from './cli-environment.ts'

type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow'
export type Paint = (colour: Colour, text: string) => string

/** Colours only on a terminal that supports them, unless the person turned them off; otherwise plain text. */
export function createPaint({ variables, terminal }: CliEnvironment, isWanted: boolean): Paint {
  const isPlain = !(terminal && isWanted) || Boolean(variables['NO_COLOR']) || variables['TERM'] === 'dumb'
  return isPlain ? (_, text) => text : (colour, text) => styleText(colour, text, { validateStream: false })
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
