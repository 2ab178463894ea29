import type { DialectMaker } from './dialect.ts'
import { flutterwave } from './flutterwave/dialect.ts'
import { house } from './house/dialect.ts'
import { pawapay } from './pawapay/dialect.ts'

/** Every provider the simulator supports. A new one is a folder and a line here. */
export const registry: readonly DialectMaker[] = [pawapay, house, flutterwave]
