import { useCallback, useMemo, useState } from 'react'

const none: ReadonlySet<string> = new Set()

export interface Selection {
  readonly selected: ReadonlySet<string>
  readonly ids: readonly string[]
  readonly toggle: (id: string) => void
  readonly clear: () => void
}

/** The rows that a person has selected. */
export function useSelection(): Selection {
  const [selected, setSelected] = useState(none)
  const toggle = useCallback(
    (id: string) =>
      setSelected((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id])),
    [],
  )
  const clear = useCallback(() => setSelected(none), [])
  return useMemo(() => ({ selected, ids: [...selected], toggle, clear }), [selected, toggle, clear])
}
