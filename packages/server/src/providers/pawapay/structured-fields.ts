/** The part of structured fields (RFC 9651) that signatures and digests use. Unreadable input gives undefined. */

export type Parameters = Readonly<Record<string, string | number>>

export interface SignatureInput {
  readonly label: string
  readonly components: readonly string[]
  readonly parameters: Parameters
  /** Everything after the label, unchanged: it is the last line of the signed text. */
  readonly text: string
}

const component = '"[a-z0-9@_-]+"'
const parameter = String.raw`;[a-z]+=(?:"[^"\\]*"|\d{1,15})`
const signatureInput = new RegExp(
  String.raw`^(?<label>[a-z][a-z0-9_.*-]*)=(?<text>\((?<components>${component}(?: ${component})*)\)(?<parameters>(?:${parameter})*))$`,
)

/** Reads a field with one signature. Each component has no parameters and appears once. */
export function readSignatureInput(field: string): SignatureInput | undefined {
  const { label, text, components, parameters } = signatureInput.exec(field.trim())?.groups ?? {}
  if (!label || !text || !components) return undefined
  const names = components.split(' ').map((each) => each.slice(1, -1))
  const pairs = [...(parameters ?? '').matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g)].map(
    ([, name = '', word, number]) => [name, word ?? Number(number)] as const,
  )
  if (!isDistinct(names) || !isDistinct(pairs.map(([name]) => name))) return undefined
  return { label, text, components: names, parameters: Object.fromEntries(pairs) }
}

/** The bytes under a name in a dictionary: `name=:base64:`. Undefined when the name appears twice. */
export function readBytes(field: string, name: string): Buffer | undefined {
  const members = field.split(',').map((each) => each.trim())
  const [member, ...others] = members.filter((each) => each.startsWith(`${name}=`))
  const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(member?.slice(name.length + 1) ?? '')?.[1]
  return base64 === undefined || others.length > 0 ? undefined : Buffer.from(base64, 'base64')
}

function isDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length
}
