import type { Result } from './report.ts'

const figureNames = ['executed', 'planned', 'locksFirst', 'locks', 'planMs', 'executeMs', 'perSecond'] as const
type Row = Readonly<Record<`${'young' | 'old'}.${(typeof figureNames)[number]}`, number>>

/** Statements that a database of five years makes dearer, those with the most locks first. */
export function ageTable({ figures }: Pick<Result, 'figures'>): string {
  const rows = [...rowsOf(figures)].filter(([, row]) => hasAged(row))
  rows.sort(([, one], [, other]) => other['old.locks'] - one['old.locks'] || totalMs(other) - totalMs(one))
  return `| statement | partitions, 1 → 60 months | plan + execution in ms, 1 month | 60 months | locks, 1 month | 60 months |
|---|---|---|---|---|---|
${rows.map(line).join('\n')}
`
}

/** Rates of many connections at once. */
export function togetherTable({ figures }: Pick<Result, 'figures'>): string {
  const rows = [...rowsOf(figures)].filter(
    ([, row]) => row['old.perSecond'] !== undefined && row['old.locks'] !== undefined,
  )
  const lines = rows.map(
    ([name, row]) =>
      `| \`${name}\` | ${say(row['young.perSecond'])} | ${say(row['old.perSecond'])} | ${say(row['old.perSecond'] / row['young.perSecond'])} |`,
  )
  const memory = (kind: string) =>
    `${say(figures[`connection young.${kind}`])} MiB (${say(figures[`connection old.${kind}`])} after 60 months)`
  return `| executions a second, 32 connections | 1 month | 60 months | ratio |
|---|---|---|---|
${lines.join('\n')}

Private memory of a connection that has planned every statement of its role: ${memory('writerMiB')} if it writes, ${memory('readerMiB')} if it reads.
`
}

function rowsOf(figures: Result['figures']): Map<string, Row> {
  const rows = new Map<string, Record<string, number>>()
  for (const [key, value] of Object.entries(figures)) {
    const place = key.lastIndexOf(' ')
    const name = key.slice(0, place)
    if (name !== 'connection') rows.set(name, { ...rows.get(name), [key.slice(place + 1)]: value })
  }
  return rows as unknown as Map<string, Row>
}

const totalMs = (row: Row) => row['old.planMs'] + row['old.executeMs']

/** Ten more locks, or half as slow again by at least a millisecond. */
function hasAged(row: Row): boolean {
  const youngMs = row['young.planMs'] + row['young.executeMs']
  const isSlower = totalMs(row) > 1.5 * youngMs && totalMs(row) > youngMs + 1
  return row['old.locks'] > row['young.locks'] + 10 || isSlower
}

function line([name, row]: [string, Row]): string {
  const of = (side: 'young' | 'old') => {
    const [executed, planned] = [row[`${side}.executed`], row[`${side}.planned`]]
    return {
      partitions: executed === planned ? String(executed) : `${executed}/${planned}`,
      times: `${say(row[`${side}.planMs`])} + ${say(row[`${side}.executeMs`])}`,
      locks: `${row[`${side}.locksFirst`]} / ${row[`${side}.locks`]}`,
    }
  }
  const [young, old] = [of('young'), of('old')]
  return `| \`${name}\` | ${young.partitions} → ${old.partitions} | ${young.times} | ${old.times} | ${young.locks} | ${old.locks} |`
}

const say = (value = Number.NaN) => value.toLocaleString('en', { maximumSignificantDigits: 3 })
