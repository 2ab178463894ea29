/** Grants at most `max` in any window of `windowMs` that starts with the first of them, for each name. Names must be few. */
export function createAllowance(max: number, windowMs: number): (name: string) => boolean {
  const used = new Map<string, { readonly since: number; count: number }>()
  return (name) => {
    const now = performance.now()
    const known = used.get(name)
    const current = known && now - known.since < windowMs ? known : { since: now, count: 0 }
    used.set(name, current)
    current.count += 1
    return current.count <= max
  }
}
