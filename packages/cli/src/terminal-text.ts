import { randomBytes } from 'node:crypto'

/**
 * A control code of this program, such as a colour, marked until it is written. The mark is random for each process, so that
 * data from Malipo, a file or a provider cannot contain it.
 */
export const controlCode = (code: string) => `${mark}{${code}}`

const mark = `\u001b${randomBytes(16).toString('hex')}`
const marked = new RegExp(`${mark}\\{([^}]*)\\}`)
const everyMarked = new RegExp(marked, 'g')

/** Control characters but tab and line break: C0, DEL and C1. A terminal obeys them; a person cannot see them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must be found.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const escaped = (text: string) => text.replaceAll(controls, (found) => `\\x${hex(found).slice(-2)}`)

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0')

/** Text for a person: the program's own codes take effect, and every other control character is shown, such as `\x1b`. */
export function terminalText(text: string): string {
  // Splitting by a pattern with one group puts the group's text at the odd places.
  return text
    .split(marked)
    .map((part, index) => (index % 2 === 1 ? part : escaped(part)))
    .join('')
}

/** How many columns the text takes on a terminal. */
export const widthOf = (text: string) => escaped(text.replaceAll(everyMarked, '')).length

/** JSON without control characters: JSON.stringify leaves DEL and C1 as they are. */
export function jsonText(facts: unknown, indent?: number): string {
  return JSON.stringify(facts, null, indent).replaceAll(/[\u007f-\u009f]/g, (found) => `\\u${hex(found)}`)
}
