/** What a statement may cost in an old database. The figures do not depend on the machine. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figures } from './replay.ts'

type Counted = Pick<Figures, 'executed' | 'locks'>

/**
 * The rule: a statement locks at most this many relations, on the plan for all values that a connection may settle on, and reads at most this many
 * partitions. That is room for a few tables of this month with their indexes, and for all parts of a table that is partitioned by
 * hash; it is not room for a table's past months.
 */
const rule: Counted = { executed: 16, locks: 40 }

/** Statements above the rule that are not listed, and listed ones that the source does not have any more. */
export function judge(measured: ReadonlyMap<string, Counted>, listed: ReadonlySet<string>): string[] {
  const above = [...measured].flatMap(([name, { executed, locks }]) =>
    listed.has(name) || (executed <= rule.executed && locks <= rule.locks)
      ? []
      : [
          `${name} reads ${executed} partitions and locks ${locks} relations: ${rule.executed} and ${rule.locks} are its budget`,
        ],
  )
  const gone = [...listed]
    .filter((name) => !measured.has(name) && !isInSource(name))
    .map((name) => `${name} is listed and not in the source any more`)
  return [...above, ...gone]
}

const source = join(import.meta.dirname, '../../packages/server/src')

/** Some statements are sent only when a loop of a worker finds something. */
function isInSource(name: string): boolean {
  const [path = '', place = ''] = name.split(' ')
  const file = join(source, path)
  return existsSync(file) && new RegExp(`\\b${place}\\b`).test(readFileSync(file, 'utf8'))
}
