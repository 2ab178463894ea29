import type { Parameter, Schema } from './document.ts'

/** A field of a request or response, in words. */
export interface Field {
  /** Dotted; `[]` stands for each item of a list, `/…/` for every name that matches the pattern, `*` for any name. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  readonly limits: readonly string[]
}

/** The heading above the fields of one variant of a schema. */
export interface FormTitle {
  readonly form: string
}

/** Every field of an inlined schema, nested ones too. */
export function fieldsOf(schema: Schema, prefix = ''): (Field | FormTitle)[] {
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`)
  const own = membersOf(schema).flatMap(([key, inner]) => {
    const name = prefix ? `${prefix}.${key}` : key
    return [fieldOf(name, inner, schema.required?.includes(key) ?? false), ...fieldsOf(inner, name)]
  })
  const forms = formsOf(schema).map((form) => ({ title: form.title, fields: fieldsOf(form, prefix) }))
  const shown = forms.filter(({ fields }) => fields.length > 0)
  const titled = shown.flatMap(({ title = '', fields }, index) => {
    const count = `form ${index + 1} of ${shown.length}${title && `: ${title}`}`
    return shown.length > 1 ? [{ form: `${prefix || 'body'}, ${count}` }, ...fields] : fields
  })
  return [...own, ...titled]
}

export function parameterField({ name, schema = {}, required = false, description }: Parameter): Field {
  return fieldOf(name, { ...schema, ...(description !== undefined && { description }) }, required)
}

const fieldOf = (name: string, schema: Schema, isRequired: boolean): Field => ({
  name,
  type: typeOf(schema),
  isRequired,
  description: schema.description ?? '',
  limits: limitsOf(schema),
})

function membersOf({ properties = {}, patternProperties = {}, additionalProperties }: Schema): [string, Schema][] {
  const patterned = Object.entries(patternProperties).map(([pattern, schema]): [string, Schema] => [
    `/${pattern}/`,
    schema,
  ])
  const others: [string, Schema][] = typeof additionalProperties === 'object' ? [['*', additionalProperties]] : []
  return [...Object.entries(properties), ...patterned, ...others]
}

const formsOf = ({ anyOf, oneOf }: Schema) => anyOf ?? oneOf ?? []

/** The allowed values, when they are enumerable. */
export function choicesOf(schema: Schema): readonly unknown[] {
  if ('const' in schema) return [schema.const]
  if (schema.type === 'null') return [null]
  const forms = formsOf(schema).map(choicesOf)
  return schema.enum ?? (forms.every((choices) => choices.length > 0) ? forms.flat() : [])
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
    choices.length > 0 && choiceWords(choices),
    span(minLength, maxLength, 'character'),
    span(minItems, maxItems, 'item'),
    span(minimum, maximum),
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    exclusiveMaximum !== undefined && `less than ${exclusiveMaximum}`,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
    schema.pattern && `pattern \`${schema.pattern}\``,
    schema.default !== undefined && `${inCode(schema.default)} if omitted`,
    ...forms.flatMap(limitsOf),
    ...(schema.items ? limitsOf(schema.items).map((limit) => `each ${limit}`) : []),
  ]
  return limits.filter((limit) => typeof limit === 'string')
}

/** A longer list, such as that of the currencies, has its own page. */
const choicesMax = 12

function choiceWords(choices: readonly string[]): string {
  if (choices.length === 1) return `always ${choices[0]}`
  if (choices.length <= choicesMax) return `one of ${choices.join(', ')}`
  return `one of ${choices.length} values, such as ${choices.slice(0, 3).join(', ')}`
}

const inCode = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

function span(min: number | undefined, max: number | undefined, unit = ''): string | undefined {
  const units = unit && ` ${unit}${(max ?? min) === 1 ? '' : 's'}`
  const isBounded = max !== undefined && max < Number.MAX_SAFE_INTEGER
  if (min !== undefined && isBounded) return min === max ? `exactly ${min}${units}` : `${min} to ${max}${units}`
  if (min !== undefined) return `at least ${min}${units}`
  return isBounded ? `at most ${max}${units}` : undefined
}
