import { useSyncExternalStore } from 'react'

/** A choice of the person that the browser keeps: the theme, the zone. Never data. */
export interface Stored<Value extends string> {
  readonly get: () => Value
  readonly set: (value: Value) => void
  readonly use: () => Value
}

export function stored<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Stored<Value> {
  const key = `malipo.${name}`
  const listeners = new Set<() => void>()
  // Read once: a list asks for the zone of every time that it shows.
  let current = values.find((value) => value === localStorage.getItem(key)) ?? values[0]
  const get = () => current
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set: (value) => {
      current = value
      localStorage.setItem(key, value)
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}
