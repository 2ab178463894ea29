/**
 * Time, pauses and random numbers as the world decides them. `main.ts` replaces the real functions by those below, for the
 * server's files alone.
 */
import assert from 'node:assert/strict'
import type { Random } from '../support/cluster/random.ts'

export interface Chance {
  nowMs(): number
  pause(ms: number): Promise<void>
  readonly random: Random
}

let chance: Chance | undefined

export function useChance(next: Chance | undefined): void {
  chance = next
}

/** Replaces `node:timers/promises`. */
export async function setTimeout<Value>(ms: number, value?: Value): Promise<Value | undefined> {
  assert(chance, 'a wait outside of a world')
  await chance.pause(ms)
  return value
}

export const setImmediate = (): Promise<unknown> => setTimeout(0)

/** Replaces `platform/random.ts`, for ids. */
export function randomBytesFor(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => chance?.random.below(256) ?? Math.floor(Math.random() * 256)))
}

const real = { time: Date.now, watch: performance.now.bind(performance), random: Math.random }

/** Real time of the machine. */
export const realMs = real.watch

Date.now = () => chance?.nowMs() ?? real.time()
performance.now = () => chance?.nowMs() ?? real.watch()
Math.random = () => chance?.random() ?? real.random()
AbortSignal.timeout = () => new AbortController().signal // The callee decides when it was too late.
