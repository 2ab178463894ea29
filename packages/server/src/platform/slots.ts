export interface Slots {
  /** Takes a slot for this key and returns how to give it back; undefined when none is free. */
  take(key: string): (() => void) | undefined
}

/** Limits how much of something long runs at once: for each key, and in all. Nothing waits. */
export function createSlots({ perKey, total }: { readonly perKey: number; readonly total: number }): Slots {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take: (key) => {
      const own = taken.get(key) ?? 0
      if (own >= perKey || all >= total) return undefined
      taken.set(key, own + 1)
      all += 1
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        all -= 1
        const left = (taken.get(key) ?? 1) - 1
        if (left === 0) taken.delete(key)
        else taken.set(key, left)
      }
    },
  }
}
