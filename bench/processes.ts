import { readdirSync, readFileSync } from 'node:fs'

/** The kernel reports processor time in these ticks. */
const tickMs = 10

interface Times {
  readonly parent: number
  readonly ownMs: number
  /** Of children that have ended. */
  readonly endedMs: number
}

function timesOf(pid: number): Times | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ms = (index: number) => Number(fields[index]) * tickMs
    return { parent: Number(fields[1]), ownMs: ms(11) + ms(12), endedMs: ms(13) + ms(14) }
  } catch {
    return undefined // It has ended.
  }
}

/** Processor time that a process has used. */
export const usedMs = (pid: number) => timesOf(pid)?.ownMs ?? 0

/** The same with its children: PostgreSQL has one for each connection. */
export function usedByFamilyMs(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => timesOf(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid)
  const own = timesOf(pid)
  return (own?.ownMs ?? 0) + (own?.endedMs ?? 0) + children.reduce((sum, { ownMs }) => sum + ownMs, 0)
}

/** In MiB: all resident memory, and the part that is written to and so not shared. */
export function memoryOf(pid: number): { residentMiB: number; ownMiB: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024)
  return { residentMiB: of('Rss'), ownMiB: of('Private_Dirty') }
}
