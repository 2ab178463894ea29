import { type Html, html, prose, table } from './html.ts'
import { choicesOf, formsOf, membersOf, type Schema } from './schema.ts'

interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** The heading above the fields of one variant of a schema. */
interface FormTitle {
  readonly form: string
}

/** A request flags required fields, a response flags optional ones. */
export type Flag = 'required' | 'optional'

export function fieldsTable(heading: string, fields: readonly (Field | FormTitle)[], flag: Flag): Html {
  const rows = fields.map((field) => ('form' in field ? formRow(field) : fieldRow(field, flag)))
  return html`<h4>${heading}</h4>${rows.length > 0 ? table('fields', ['Field', 'Meaning and limits'], rows) : ''}`
}

const formRow = ({ form }: FormTitle) => html`<tr class="form"><th scope="rowgroup" colspan="2">${form}</th></tr>\n`

function fieldRow({ name, schema, isRequired }: Field, flag: Flag): Html {
  const ownAt = name.lastIndexOf('.') + 1
  const flagged = isRequired === (flag === 'required') ? html` <span class="${flag}">${flag}</span>` : ''
  const limits = limitsOf(schema).join('; ')
  return html`<tr><th scope="row"><code><span class="parent">${name.slice(0, ownAt)}</span><wbr>${name.slice(ownAt)}</code>
<span class="note">${typeOf(schema)}${flagged}</span></th>
<td>${prose(schema.description ?? '')}${limits && html`<span class="note">${prose(limits)}</span>`}</td></tr>\n`
}

/** Every nested field by its dotted name; `[]` stands for each item of a list, `/…/` for every name that matches the pattern. */
export function fieldsOf(schema: Schema, prefix = ''): (Field | FormTitle)[] {
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`)
  const own = membersOf(schema).flatMap(([key, inner]) => {
    const name = prefix ? `${prefix}.${key}` : key
    return [{ name, schema: inner, isRequired: schema.required?.includes(key) ?? false }, ...fieldsOf(inner, name)]
  })
  const forms = formsOf(schema).map((form) => ({ title: form.title, fields: fieldsOf(form, prefix) }))
  const shown = forms.filter(({ fields }) => fields.length > 0)
  const titled = shown.flatMap(({ title = '', fields }, index) => {
    const count = `form ${index + 1} of ${shown.length}${title && `: ${title}`}`
    return shown.length > 1 ? [{ form: `${prefix || 'body'}, ${count}` }, ...fields] : fields
  })
  return [...own, ...titled]
}

export function typeOf(schema: Schema): string {
  const choices = choicesOf(schema)
  if (choices.length > 0) return either(choices.map((choice) => (choice === null ? 'null' : typeof choice)))
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (formsOf(schema).length > 0) return either(formsOf(schema).map(typeOf))
  const types = either([schema.type ?? (membersOf(schema).length > 0 ? 'object' : 'anything')].flat())
  return schema.format ? `${types} (${schema.format})` : types
}

const either = (words: readonly string[]) => [...new Set(words)].join(' or ')

/** The limits of a value, in words. */
function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } =
    schema
  const choices = choicesOf(schema).map(inCode)
  const forms = choices.length > 0 ? [] : formsOf(schema).filter(({ type }) => type !== 'null')
  const limits = [
    choices.length > 1 && `one of ${choices.join(', ')}`,
    choices.length === 1 && `always ${choices[0]}`,
    span(minLength, maxLength, 'character'),
    span(minItems, maxItems, 'item'),
    span(minimum, maximum),
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    exclusiveMaximum !== undefined && `less than ${exclusiveMaximum}`,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
    schema.pattern && `pattern \`${schema.pattern}\``,
    schema.default !== undefined && `${inCode(schema.default)} when left out`,
    ...forms.flatMap(limitsOf),
    ...(schema.items ? limitsOf(schema.items).map((limit) => `each ${limit}`) : []),
  ]
  return limits.filter((limit) => typeof limit === 'string')
}

const inCode = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

function span(min: number | undefined, max: number | undefined, unit = ''): string | undefined {
  const units = unit && ` ${unit}${(max ?? min) === 1 ? '' : 's'}`
  if (min !== undefined && max !== undefined) return min === max ? `exactly ${min}${units}` : `${min} to ${max}${units}`
  if (min !== undefined) return `at least ${min}${units}`
  return max === undefined ? undefined : `at most ${max}${units}`
}
