import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `probe` answers something that is true; tells what it was waiting for when that takes too long. */
export async function until<Value>(
  what: string,
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
  { timeoutMs = 20_000 }: { timeoutMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const found = await probe()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await pause(10)
  }
}
