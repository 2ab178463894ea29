import { problemKinds } from './check-response.ts'
import type { FuzzReport } from './run.ts'

/** The report as lines: a table, then each problem with the first request that showed it. */
export function showReport(report: FuzzReport): string[] {
  const { seed, requests, seconds, byStatus, overloaded, slowestMs, unreached, findings, ledgerProblems } = report
  const countOf = (kind: string) =>
    findings.filter((finding) => finding.kind === kind).reduce((sum, { count }) => sum + count, 0)
  const rows: [string, string | number][] = [
    ['seed', seed],
    ['requests', requests],
    ['seconds', seconds.toFixed(1)],
    ['without success', unreached.join(' ') || 'no operation'],
    ['slowest response', `${slowestMs} ms`],
    ...Object.entries(byStatus).map(([status, count]): [string, number] => [`status ${status}`, count]),
    ['503 OVERLOADED', overloaded],
    ...problemKinds.map((kind): [string, number] => [kind, countOf(kind)]),
    ['ledger check', ledgerProblems.length === 0 ? 'clean' : `${ledgerProblems.length} problems`],
  ]
  const shown = findings.flatMap(({ kind, what, count, number, request }) => [
    '',
    `${kind}, ${count} times: ${what}`,
    `repeat: npm run fuzz -- --seed ${seed} --only ${number}`,
    ...request.split('\n').map((line) => `  ${line}`),
  ])
  return [...rows.map(([name, value]) => `${name.padEnd(20)} ${value}`), ...shown, ...ledgerProblems]
}
