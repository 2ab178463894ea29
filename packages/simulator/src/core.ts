import type { Books } from './books.ts'
import type { Callbacks } from './callbacks.ts'
import type { Clock } from './clock.ts'
import type { Dialect } from './dialect.ts'
import type { Faults } from './faults.ts'
import type { Handsets } from './handsets.ts'
import type { Numbers } from './numbers.ts'
import type { Plans } from './plans.ts'
import type { Random } from './random.ts'
import type { RequestLog } from './requests.ts'

export interface Range {
  readonly min: number
  readonly max: number
}

/** What the control API may change while the simulator runs. */
export interface Tuning {
  /** Where callbacks go, followed by the dialect's id. Empty: nowhere. */
  callbackBase: string
  settleMs: Range
  seed: number
  /** How payers reach the simulator's pages. Empty: the address of the request. */
  publicUrl: string
}

export interface Core {
  readonly tuning: Tuning
  readonly clock: Clock
  readonly plans: Plans
  readonly random: Random
  readonly numbers: Numbers
  readonly faults: Faults
  readonly handsets: Handsets
  readonly books: Books
  readonly callbacks: Callbacks
  readonly requests: RequestLog
  readonly dialects: ReadonlyMap<string, Dialect>
}
