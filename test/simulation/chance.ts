/**
 * What is otherwise left to chance, as a world decides it: the time, pauses, and random numbers. `main.ts` puts the
 * functions below in the place of the real ones, for the server's files alone.
 */
import assert from 'node:assert/strict'
import type { Random } from '../support/cluster/random.ts'

export interface Chance {
  nowMs(): number
  pause(ms: number): Promise<void>
  readonly random: Random
}

let chance: Chance | undefined

export function playBy(next: Chance | undefined): void {
  chance = next
}

/** In the place of `node:timers/promises`. */
export async function setTimeout<Value>(ms: number, value?: Value): Promise<Value | undefined> {
  assert(chance, 'somebody waits outside of a world')
  await chance.pause(ms)
  return value
}

/** In its place too. */
export const setImmediate = (): Promise<unknown> => setTimeout(0)

/** In the place of `platform/random.ts`, for ids. */
export function randomBytesFor(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => chance?.random.below(256) ?? Math.floor(Math.random() * 256)))
}

const real = { time: Date.now, watch: performance.now.bind(performance), random: Math.random }

/** Of the machine, whatever world is played. */
export const realMs = real.watch

Date.now = () => chance?.nowMs() ?? real.time()
performance.now = () => chance?.nowMs() ?? real.watch()
Math.random = () => chance?.random() ?? real.random()
AbortSignal.timeout = () => new AbortController().signal // Whoever is called decides when it was too late.
