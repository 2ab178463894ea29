/** What a statement may cost in an old database. The figures do not depend on the machine. */
import type { Figures } from './replay.ts'

type Counted = Pick<Figures, 'executed' | 'locks'>

/**
 * The rule: a statement locks at most this many relations, on the plan that a connection settles on, and reads at most this many
 * partitions. That is room for a few tables of this month with their indexes, and for all parts of a table that is partitioned by
 * hash; it is not room for a table's past months.
 */
const rule: Counted = { executed: 16, locks: 40 }

/** Statements above the rule that are not listed, and listed ones that the product does not send any more. */
export function judge(measured: ReadonlyMap<string, Counted>, listed: ReadonlySet<string>): string[] {
  const above = [...measured].flatMap(([name, { executed, locks }]) =>
    listed.has(name) || (executed <= rule.executed && locks <= rule.locks)
      ? []
      : [
          `${name} reads ${executed} partitions and locks ${locks} relations: ${rule.executed} and ${rule.locks} are its budget`,
        ],
  )
  const gone = [...listed]
    .filter((name) => !measured.has(name))
    .map((name) => `${name} is listed and not sent any more`)
  return [...above, ...gone]
}
