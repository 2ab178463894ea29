import { styleText } from 'node:util'
import type { Surroundings } from './surroundings.ts'

type Colour = 'bold' | 'dim' | 'green' | 'red' | 'yellow'
export type Paint = (colour: Colour, text: string) => string

/** Colours where a person looks at a terminal that has them and has not asked for none; plain text everywhere else. */
export function createPaint({ variables, terminal }: Surroundings, isWanted: boolean): Paint {
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

/** A status in the colour everybody expects of it. */
export function paintStatus(paint: Paint, status: string): string {
  const colour = statusColours[status.toUpperCase()]
  return colour ? paint(colour, status) : status
}
