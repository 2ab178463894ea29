/** A readable time, to the minute, in UTC. */
export function minute(iso: string | undefined): string {
  return iso === undefined ? 'never' : `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

/** A readable time, to the second, in UTC. */
export function second(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** A duration in the largest unit of which it has at least two. */
export function duration(seconds: number): string {
  const size = Math.abs(seconds)
  const [name, length] = units.find(([, each]) => size >= 2 * each) ?? ['s', 1]
  return `${Math.floor(size / length)} ${name}`
}
