import { lateMaxMs } from './recovery.ts'
import type { ChaosReport } from './run.ts'

export function showReport(report: ChaosReport): string[] {
  const { load, aftermath, checked, violations } = report
  return [
    `seed ${report.seed}, ${report.seconds} s: ${load.arrivals} arrivals, ${load.dropped} dropped by the load generator`,
    '',
    'requests: attempts by response',
    ...Object.entries(report.requests).map(([kind, classes]) => `  ${kind.padEnd(26)} ${counts(classes)}`),
    `  refusals: ${counts(report.refusals)}`,
    '',
    `faults: milliseconds from their end until requests succeed / until no due payment has waited for ${lateMaxMs / 1000} s`,
    ...Object.entries(report.recovery).map(
      ([name, { count, responses, payments }]) =>
        `  ${name.padEnd(26)} ${String(count).padStart(3)}   ${spread(responses)}   /   ${spread(payments)}`,
    ),
    `  during the whole load, requests and payments struck: ${counts(report.steadyFaults)}`,
    ...report.faultErrors.map((words) => `  fault error: ${words}`),
    ...report.skipped.map((words) => `  skipped: ${words}`),
    '',
    `afterwards: ${Math.round(aftermath.realSeconds)} s of real time, clocks moved by ${aftermath.movedSeconds} s`,
    ...Object.entries(checked.payments).map(([what, count]) => `  ${String(count).padStart(6)} ${what}`),
    `  ${checked.movements} movements at the providers, ${checked.webhooks} webhooks received; ledger ${checked.ledger}`,
    ...Object.entries(report.complaints).map(([words, count]) => `  logged as an error ${count} times: ${words}`),
    `  ${aftermath.inDoubt.length} payments are still in doubt, each with a reason`,
    ...report.doubts.map((line) => `    ${line}`),
    '',
    `lost ${report.lost}, doubled ${report.doubled}, stuck ${report.stuck}, violations ${violations.length}`,
    ...violations.flatMap(({ kind, words, payment, history }) => [
      '',
      `VIOLATION (${kind}): ${words}${payment ? ` [${payment}]` : ''}`,
      ...history,
    ]),
  ]
}

const counts = (found: Readonly<Record<string, number>>) =>
  Object.entries(found)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

function spread({ median, p99, max, unseen }: ChaosReport['recovery'][string]['responses']): string {
  const text = median === null ? 'not seen' : `median ${median}, p99 ${p99}, max ${max}`
  return unseen > 0 && median !== null ? `${text}, ${unseen} not seen` : text
}
