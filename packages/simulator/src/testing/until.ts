import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `probe` returns a truthy value. After 20 seconds it throws with `what`. */
export async function until<Value>(
  what: string,
  probe: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  const deadline = performance.now() + 20_000
  for (;;) {
    const found = await probe()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}`)
    await pause(5)
  }
}
