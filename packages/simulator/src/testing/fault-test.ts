import { test } from 'node:test'
import { startTestSimulator, type TestSimulator } from './simulator.ts'

/** One fault mode, in several dialects where that proves something new. */
export function faultTest(mode: string, guarantee: string, run: (sim: TestSimulator) => Promise<void>): void {
  test(`${mode}: ${guarantee}`, async (t) => run(await startTestSimulator(t)))
}
