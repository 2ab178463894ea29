/** Whether a response matches a document. Ids, times and balances may differ; fields, types and codes may not. */

/** A sample may omit the rest of an object with this key. */
const andMore = '…'

/** Fields whose values a reader relies on, whatever their form. */
const comparedFields = new Set([
  'amount',
  'fee',
  'senderAmount',
  'receiverAmount',
  'event',
  'type',
  'status',
  'method',
  'message',
])

/** Every difference between the response and the sample, each as a sentence with its path. */
export function differences(sample: unknown, response: unknown, path = 'response'): string[] {
  if (Array.isArray(sample)) return arrayDifferences(sample, response, path)
  if (isObject(sample)) return objectDifferences(sample, response, path)
  return valueDifferences(sample, response, path)
}

function arrayDifferences(sample: readonly unknown[], response: unknown, path: string): string[] {
  if (!Array.isArray(response)) return [`${path} is ${kindOf(response)}, not an array`]
  const isOpen = sample.at(-1) === andMore
  const items = isOpen ? sample.slice(0, -1) : sample
  const isShort = response.length < items.length || (!isOpen && response.length > items.length)
  const length = isShort ? [`${path} has ${response.length} items, not ${items.length}${isOpen ? ' or more' : ''}`] : []
  return [
    ...length,
    ...items.flatMap((item, at) => (at < response.length ? differences(item, response[at], `${path}[${at}]`) : [])),
  ]
}

function objectDifferences(sample: Record<string, unknown>, response: unknown, path: string): string[] {
  if (!isObject(response)) return [`${path} is ${kindOf(response)}, not an object`]
  const names = Object.keys(sample).filter((name) => name !== andMore)
  const extra = Object.hasOwn(sample, andMore) ? [] : Object.keys(response).filter((name) => !names.includes(name))
  return [
    ...extra.map((name) => `${path}.${name} is not in the document`),
    ...names.flatMap((name) =>
      Object.hasOwn(response, name)
        ? fieldDifferences(name, sample, response, path)
        : [`${path}.${name} is only in the document`],
    ),
  ]
}

/** Differences of the value itself; if there are none, of its meaning. */
function fieldDifferences(
  name: string,
  sample: Record<string, unknown>,
  response: Record<string, unknown>,
  path: string,
): string[] {
  const [wanted, found] = [sample[name], response[name]]
  const plain = differences(wanted, found, `${path}.${name}`)
  if (plain.length > 0) return plain
  const isAlike =
    isObject(wanted) || isOmitted(wanted) || isNear(wanted, found, sample) || (isTime(wanted) && isTime(found))
  return comparedFields.has(name) && wanted !== found && !isAlike
    ? [`${path}.${name} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`]
    : []
}

/** A time is never the same twice, wherever it is written. */
const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

/** Exchanged amounts are never the same twice, since rates move. */
function isNear(wanted: unknown, found: unknown, sample: Record<string, unknown>): boolean {
  if (typeof wanted !== 'number' || typeof found !== 'number' || !Object.hasOwn(sample, 'rate')) return false
  return Math.abs(wanted - found) < Math.abs(wanted) / 5
}

/** Booleans and uppercase codes must match; for other texts and numbers only the type. */
function valueDifferences(sample: unknown, response: unknown, path: string): string[] {
  if (kindOf(sample) !== kindOf(response)) return [`${path} is ${kindOf(response)}, not ${kindOf(sample)}`]
  const isCode = typeof sample === 'string' && /^[A-Z][A-Z0-9_.-]+$/.test(sample)
  const isExact = isCode || typeof sample === 'boolean'
  return isExact && sample !== response ? [`${path} is ${JSON.stringify(response)}, not ${JSON.stringify(sample)}`] : []
}

const isOmitted = (value: unknown) => typeof value === 'string' && value.includes(andMore)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Words of a text sample that are missing in the output. Words with a digit, such as ids, are ignored. */
export function missingWords(sample: string, printed: string): string[] {
  const words = new Set(sample.match(/(?<![\w…])[\p{L}_]{3,}(?![\w…])/gu))
  return [...words].filter((word) => !printed.includes(word))
}
