/** How an entry differs from what was written. */
export type FaultKind =
  | 'edited'
  | 'missing'
  | 'inserted'
  | 'reordered'
  | 'replaced'
  | 'backdated'
  | 'unlinked'
  | 'head'
  | 'sealed'
  | 'seal'

export interface Fault {
  readonly kind: FaultKind
  /** 0 when it concerns no chain. */
  readonly chain: number
  readonly number: bigint
  /** The row's id; undefined when there is no such row. */
  readonly id?: string
  readonly problem: string
}

/** Collects faults. A report lists at most a hundred, and counts all. */
export interface Faults {
  add(...found: readonly Fault[]): void
  readonly listed: readonly Fault[]
  count(): number
}

const listedMax = 100

export function createFaults(): Faults {
  const listed: Fault[] = []
  let total = 0
  return {
    add: (...found) => {
      total += found.length
      listed.push(...found.slice(0, listedMax - listed.length))
    },
    listed,
    count: () => total,
  }
}

/** The audit trail is not what was written. */
export class AuditDisagreement extends Error {
  override readonly name = 'AuditDisagreement'

  constructor([first]: readonly Fault[], count: number) {
    const place =
      first && (first.chain === 0 ? first.problem : `entry ${first.number} of chain ${first.chain}: ${first.problem}`)
    super(
      `the audit trail was changed, ${count} ${count === 1 ? 'fault' : 'faults'}: ${place}; run malipo audit verify`,
    )
  }
}
