import { type AppError, invalidBody } from '../errors.ts'

/** Deeper than any body the API documents, with room for provider callbacks. */
const depthMax = 20
/** 1,000 payouts with every optional field are 13,000 values. */
const valuesMax = 15_000

const [quote, backslash, comma] = ['"', '\\', ','].map((sign) => sign.charCodeAt(0))
const steps = new Int8Array(128)
for (const sign of '[{') steps[sign.charCodeAt(0)] = 1
for (const sign of ']}') steps[sign.charCodeAt(0)] = -1

/**
 * Refuses JSON text that is too deep or has too many values, before it is parsed: a few thousand brackets overflow the stack of
 * every function that walks the value, and 400,000 numbers take a second to validate.
 */
export function refusalOfShape(text: string): AppError | undefined {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === quote) at = endOfString(text, at)
    else if (sign === comma) values += 1
    else depth += steps[sign] ?? 0
    if (depth > depthMax) return refusal(`is nested deeper than ${depthMax} levels`)
  }
  return values > valuesMax ? refusal(`has more than ${valuesMax} values`) : undefined
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

const refusal = (why: string) => invalidBody(`the body ${why}`)
