/** What an action changes, as its dry run reported it. */
export function ChangeList({ change }: { readonly change: object }) {
  const fields = Object.entries(change).filter(([, value]) => value !== null && value !== undefined && value !== '')
  if (fields.length === 0) return null
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
      {fields.map(([name, value]) => (
        <div className="contents" key={name}>
          <dt className="text-ink-3">{wordsOf(name)}</dt>
          <dd className="break-words">{textOf(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A value in words; fields of a value one after another. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, inner]) => `${wordsOf(name).toLowerCase()} ${textOf(inner)}`)
    .join(', ')
}

/** `basisPoints` and `basis_points` as `Basis points`. */
function wordsOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}
