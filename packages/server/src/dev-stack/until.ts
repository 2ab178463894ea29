import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `probe` returns a truthy value. On a timeout the error says what it waited for. */
export async function until<Value>(
  what: string,
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs = 60_000 }: { timeoutMs?: number } = {},
): Promise<Value> {
  const deadline = machineTime() + timeoutMs
  for (;;) {
    const found = await probe()
    if (found) return found
    if (machineTime() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await pause(10)
  }
}

/**
 * The time that passed for this machine, in milliseconds. Time in which its processors worked for other virtual machines (`steal`
 * in /proc/stat) does not count: on a busy host it can be more than half, and no process here could use it.
 */
export function machineTime(): number {
  return performance.now() - stolenMs()
}

const tickMs = 10

function stolenMs(): number {
  try {
    const steal = Number(readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/)[8])
    return (steal * tickMs) / availableParallelism()
  } catch {
    return 0 // Only Linux reports it.
  }
}
