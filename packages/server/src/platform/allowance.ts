/** Grants at most `max` per name in a window of `windowMs`, which starts with the first. There must be few names. */
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
