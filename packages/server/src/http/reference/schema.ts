export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly [limit: `${'min' | 'max' | 'exclusive' | 'multiple'}${string}`]: number
}

/** The members of an object, with `/…/` for names that match a pattern and `*` for any name. */
export function membersOf({
  properties = {},
  patternProperties = {},
  additionalProperties,
}: Schema): [string, Schema][] {
  const patterned = Object.entries(patternProperties).map(([pattern, schema]): [string, Schema] => [
    `/${pattern}/`,
    schema,
  ])
  const others: [string, Schema][] = typeof additionalProperties === 'object' ? [['*', additionalProperties]] : []
  return [...Object.entries(properties), ...patterned, ...others]
}

export const formsOf = ({ anyOf, oneOf }: Schema) => anyOf ?? oneOf ?? []

/** The allowed values, when they are enumerable. */
export function choicesOf(schema: Schema): readonly unknown[] {
  if ('const' in schema) return [schema.const]
  if (schema.type === 'null') return [null]
  const forms = formsOf(schema).map(choicesOf)
  return schema.enum ?? (forms.every((choices) => choices.length > 0) ? forms.flat() : [])
}

/** The required items; when none is required, the first two serve as examples. */
export function essential<Item>(items: readonly Item[], isRequired: (item: Item) => boolean): readonly Item[] {
  const required = items.filter(isRequired)
  return required.length > 0 ? required : items.slice(0, 2)
}

/** A value the schema allows: its own example where it has one, else a typical value for the field's name and type. */
export function exampleOf(schema: Schema, name = '', pick: typeof essential = (items) => items): unknown {
  const [given = schema.default ?? choicesOf(schema)[0]] = schema.examples ?? []
  if (given !== undefined) return given
  if (schema.items) return [exampleOf(schema.items, name, pick)]
  const form = formsOf(schema).find(({ type }) => type !== 'null')
  const members = pick(membersOf(schema), ([key]) => schema.required?.includes(key) ?? false)
  const inside = members.map(([key, inner]) => [spelledName(key), exampleOf(inner, key, pick)])
  if (inside.length > 0) return { ...Object.fromEntries(inside), ...(form && (exampleOf(form, name, pick) as object)) }
  return form ? exampleOf(form, name, pick) : plainExample(schema, name)
}

const spelledName = (key: string) => (key.startsWith('/') ? spelled(key.slice(1, -1)) : key)

function plainExample(schema: Schema, name: string): unknown {
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'string':
      return sampleText(name, schema)
    case 'integer':
      return Math.round(sampleNumber(name, schema))
    case 'number':
      return sampleNumber(name, schema)
    case 'boolean':
      return true
    case 'array':
      return []
    default:
      return schema.type === 'null' ? null : {}
  }
}

/** Typical values by field name; the first match wins. */
const sampleTexts: readonly (readonly [RegExp, string])[] = [
  [/publicKey/i, 'pk_test_…'],
  [/api-?key/i, 'sk_test_…'],
  [/idempotency/i, '0b7f4c52-6a1e-4d7b-8f1c-2f9e6d3a5b10'],
  [/token/i, 'eyJhbGciOiJFZERTQSIs…'],
  [/secret/i, 'whsec_…'],
  [/firstName/i, 'Amina'],
  [/lastName/i, 'Otieno'],
  [/bankName/i, 'Equity Bank'],
  [/name$/i, 'Amina Otieno'],
  [/email/i, 'amina@example.com'],
  [/webhookUrl/i, 'https://shop.example.com/webhooks'],
  [/url$|uri$|link|logo/i, 'https://shop.example.com/thank-you'],
  [/phone/i, '+254712345678'],
  [/accountNumber/i, '0712345678'],
  [/reference$/i, 'order-1042'],
  [/requestId/i, 'req_6f1c2a9e-5d0b-4c7e-9a43-1f0e8d2b7c55'],
  [/currency$|^(from|to)$/i, 'KES'],
  [/pair$/i, 'USD/KES'],
  [/country/i, 'KE'],
  [/ip(Address)?$/i, '203.0.113.7'],
  [/street/i, '12 Moi Avenue'],
  [/city/i, 'Nairobi'],
  [/^at$|At$|time/, '2026-03-14T09:30:00Z'],
  [/date/i, '2026-03-14'],
  [/otp/i, '123456'],
  [/number$/i, '4242424242424242'],
  [/id$|cursor/i, '019ceb5c-6a40-7000-8f3a-5d2c9b71e604'],
  [/status/i, 'successful'],
  [/message/i, 'Done.'],
  [/amount|balance|fee/i, '1500.00'],
]

/** A plausible text for the field: the typical text if it matches the pattern, else one built from the pattern. */
function sampleText(name: string, { format = '', pattern }: Schema): string {
  const [, usual = '…'] = sampleTexts.find(([names]) => names.test(format || name)) ?? []
  return pattern === undefined || new RegExp(pattern, 'u').test(usual) ? usual : spelled(pattern)
}

const letters = 'KES254712345678amina-_.'

/** Builds a text from a pattern: enough for classes and counts, such as `^[A-Z]{3}Wallet$`. */
function spelled(pattern: string): string {
  const pieces = pattern.matchAll(/(\[[^\]]+\]|\\.|[^\\^$])(?:\{(\d+)(?:,\d*)?\}|[*+?])?/g)
  return [...pieces]
    .map(([, piece = '', count = '1']) => {
      const isClass = /^(\[|\\\w)/.test(piece)
      const fitting = isClass ? [...letters].filter((letter) => new RegExp(piece).test(letter)) : [piece.slice(-1)]
      return Array.from({ length: Number(count) }, (_, index) => fitting[index % fitting.length] ?? '').join('')
    })
    .join('')
}

/** A plausible number for the field, within its limits. */
function sampleNumber(name: string, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): number {
  const [, usual = 1] = sampleNumbers.find(([names]) => names.test(name)) ?? []
  return Math.min(maximum, Math.max(minimum, usual))
}

const sampleNumbers: readonly (readonly [RegExp, number])[] = [
  [/expMonth/i, 12],
  [/expYear/i, 2030],
  [/At$|timestamp/, 1_773_480_600],
  [/fee/i, 15],
  [/rate|buy|sell/i, 129.5],
  [/amount|balance|available|total/i, 1500],
  [/pending/i, 0],
  [/limit|count/i, 50],
  [/durationMs/i, 120],
]
