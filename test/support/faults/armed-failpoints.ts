import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Failpoint } from '../../../packages/server/src/platform/failpoints.ts'

/** What happens to a process at a failpoint. */
export interface Strike {
  readonly place: Failpoint
  /** It dies as by kill -9, hangs as if stopped, or finds its connection lost. */
  readonly kind: 'kill' | 'pause' | 'throw'
  readonly pauseMs: number
}

/** Files through which a test and the struck process communicate: armed, struck, and over. */
export const filesOf = (path: string) => ({ armed: `${path}.armed`, struck: `${path}.struck`, over: `${path}.over` })

/** Marks its traces in a log. */
export const struckWords = 'struck by a test'

const files = filesOf(process.env['FAILPOINT_PATH'] ?? '')

export function reach(place: Failpoint): void {
  if (!existsSync(files.armed)) return
  const { place: wanted, kind, pauseMs } = JSON.parse(readFileSync(files.armed, 'utf8')) as Strike
  if (wanted !== place) return
  rmSync(files.armed)
  writeFileSync(files.struck, '')
  if (kind === 'kill') process.kill(process.pid, 'SIGKILL')
  if (kind === 'pause') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  writeFileSync(files.over, '')
  if (kind === 'throw') throw Object.assign(new Error(`${struckWords} at ${place}`), { code: 'ECONNRESET' })
}
