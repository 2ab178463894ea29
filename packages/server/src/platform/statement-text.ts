import { createHash } from 'node:crypto'
import { MonthStart } from './months.ts'

/** A part of a statement, with its values. */
export class SqlPart {
  readonly parts: readonly string[]
  readonly values: readonly unknown[]

  constructor(parts: readonly string[], values: readonly unknown[]) {
    this.parts = parts
    this.values = values
  }
}

/** A text with its values beside it, and the name under which PostgreSQL keeps its plan. */
interface Statement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

type Prepared = Pick<Statement, 'name' | 'text'>

const isMonthStart = (value: unknown): value is MonthStart => value instanceof MonthStart

/** Makes statements of the parts between values, each text once. */
export function binder(rewrite: (part: string) => string) {
  const prepared = new WeakMap<TemplateStringsArray, Map<string, Prepared>>()
  return (parts: TemplateStringsArray, values: readonly unknown[]): Statement => {
    const hasMonths = values.some(isMonthStart)
    const months = hasMonths ? values.map((value) => (isMonthStart(value) ? value.id : '')) : []
    const texts = prepared.get(parts) ?? new Map<string, Prepared>()
    prepared.set(parts, texts)
    const known = texts.get(months.join()) ?? prepare(parts.map(rewrite), months)
    texts.set(months.join(), known)
    return { ...known, values: hasMonths ? values.filter((value) => !isMonthStart(value)) : values }
  }
}

/** A statement with parts in it. */
export function composed(parts: readonly string[], values: readonly unknown[]): Statement {
  const whole = flattened(parts, values)
  return { name: '', text: prepare(whole.parts, []).text, values: whole.values }
}

/** The parts of a statement with the parts in it in their places. */
function flattened([first = '', ...others]: readonly string[], values: readonly unknown[]): SqlPart {
  const texts = [first]
  const bound: unknown[] = []
  const append = (text: string) => texts.push(`${texts.pop() ?? ''}${text}`)
  for (const [index, value] of values.entries()) {
    const next = others[index] ?? ''
    if (value instanceof SqlPart) {
      const {
        parts: [start = '', ...rest],
        values: inner,
      } = flattened(value.parts, value.values)
      append(start)
      texts.push(...rest)
      bound.push(...inner)
      append(next)
    } else {
      bound.push(isMonthStart(value) ? value.id : value)
      texts.push(next)
    }
  }
  return new SqlPart(texts, bound)
}

/** `months` has the ids that become part of the text, each at the place of its value. */
function prepare(parts: readonly string[], months: readonly string[]): Prepared {
  let bound = 0
  const text = parts.reduce((before, part, index) => {
    const month = months[index - 1] ?? ''
    if (month === '') bound += 1
    return `${before}${month === '' ? `$${bound}` : `'${month}'::uuid`}${part}`
  })
  return { name: createHash('sha256').update(text).digest('base64url').slice(0, 22), text }
}
