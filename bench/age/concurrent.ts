/** Reads of many connections at once: locks beyond the first 16 of a transaction go through a table that all connections share. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pgbench } from '../pgbench.ts'
import type { Execution } from './capture.ts'

const clients = 32
const seconds = 2
/** Statements that run the most often, of those that lock no rows. */
const hottest = 12

const isRead = (text: string) =>
  /^\s*(select|with)\b/i.test(text) && !/\b(insert into|update|delete from|for (no key )?(update|share))\b/i.test(text)

/** One execution of each of the reads that ran the most often. */
export function hotReads(executions: readonly Execution[], times: ReadonlyMap<string, number>): Execution[] {
  const reads = new Map(executions.filter(({ text }) => isRead(text)).map((each) => [each.text, each]))
  return [...reads.values()]
    .sort((one, other) => (times.get(other.text) ?? 0) - (times.get(one.text) ?? 0))
    .slice(0, hottest)
}

/** Executions a second, each as the product sends it: with the naming of its owner in one round trip. */
export function perSecond(execution: Execution, url: string, folder: string): Promise<number> {
  const { text, values, role, owner } = execution
  const variables: Record<string, string> = {}
  const inScript = (statement: string, prefix: string, all: readonly (string | null)[]) =>
    statement.replaceAll(/\$(\d+)/g, (_, digits: string) => {
      const value = all[Number(digits) - 1] ?? null
      if (value !== null) variables[`${prefix}${digits}`] = value
      return value === null ? 'null' : `:${prefix}${digits}`
    })
  const script = join(folder, 'hot.sql')
  const naming = owner ? `${inScript(owner.text, 'owner', owner.values)};\n` : ''
  writeFileSync(script, `\\startpipeline\n${naming}${inScript(text, 'value', values)};\n\\endpipeline\n`)
  const settings = `-c role=${role} -c seq_page_cost=100 -c jit=off`
  return pgbench({ url, script, clients, seconds, variables, settings })
}
