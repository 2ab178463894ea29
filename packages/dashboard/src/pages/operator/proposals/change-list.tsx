/** Names by id. */
type Names = Readonly<Record<string, string>>

interface ChangeListProps {
  readonly change: object
  /** Of the people and merchants in it. */
  readonly names?: Names
}

/** `Daniel Mutiso (person_0193…)`, where the name is known. */
export const named = (id: string, names: Names): string => (names[id] === undefined ? id : `${names[id]} (${id})`)

/** What an action changes, as its dry run reported it. */
export function ChangeList({ change, names = {} }: ChangeListProps) {
  const fields = Object.entries(change).filter(([, value]) => value !== null && value !== undefined && value !== '')
  if (fields.length === 0) return null
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
      {fields.map(([name, value]) => (
        <div className="contents" key={name}>
          <dt className="text-ink-3">{wordsOf(name)}</dt>
          <dd className="break-words">{textOf(value, names)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A value in words; fields of a value one after another. */
function textOf(value: unknown, names: Names): string {
  if (Array.isArray(value)) return value.map((each) => textOf(each, names)).join(', ')
  if (typeof value !== 'object' || value === null) return named(String(value), names)
  return Object.entries(value)
    .map(([name, inner]) => `${wordsOf(name).toLowerCase()} ${textOf(inner, names)}`)
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
