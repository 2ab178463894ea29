import { lateMaxMs } from './recovery.ts'
import type { ChaosReport } from './run.ts'

export function showReport(report: ChaosReport): string[] {
  const { load, aftermath, checked, violations } = report
  return [
    `seed ${report.seed}, ${report.seconds} s: ${load.arrivals} arrivals, ${load.dropped} turned away here`,
    '',
    'requests, each try by its answer',
    ...Object.entries(report.requests).map(([kind, classes]) => `  ${kind.padEnd(26)} ${counts(classes)}`),
    `  refusals: ${counts(report.refusals)}`,
    '',
    `faults, and milliseconds from healing until requests answer well / until no payment that is due has waited for ${lateMaxMs / 1000} s`,
    ...Object.entries(report.recovery).map(
      ([name, { count, answers, payments }]) =>
        `  ${name.padEnd(26)} ${String(count).padStart(3)}   ${spread(answers)}   /   ${spread(payments)}`,
    ),
    `  during the whole load, requests and payments struck: ${counts(report.steadyFaults)}`,
    ...report.troubles.map((words) => `  trouble: ${words}`),
    ...report.skipped.map((words) => `  left out: ${words}`),
    '',
    `afterwards: ${Math.round(aftermath.realSeconds)} s of real time, clocks moved by ${aftermath.movedSeconds} s`,
    ...Object.entries(checked.payments).map(([what, count]) => `  ${String(count).padStart(6)} ${what}`),
    `  ${checked.movements} movements at the providers, ${checked.webhooks} webhooks came; ledger ${checked.ledger}`,
    ...Object.entries(report.complaints).map(([words, count]) => `  logged as an error ${count} times: ${words}`),
    `  ${aftermath.inDoubt.length} are still in doubt, each for a reason with a name`,
    ...report.doubts.map((line) => `    ${line}`),
    '',
    `lost ${report.lost}, doubled ${report.doubled}, stuck ${report.stuck}, violations ${violations.length}`,
    ...violations.flatMap(({ kind, words, payment, story }) => [
      '',
      `VIOLATION (${kind}): ${words}${payment ? ` [${payment}]` : ''}`,
      ...story,
    ]),
  ]
}

const counts = (found: Readonly<Record<string, number>>) =>
  Object.entries(found)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

function spread({ median, p99, max, unseen }: ChaosReport['recovery'][string]['answers']): string {
  const text = median === null ? 'not seen' : `median ${median}, p99 ${p99}, max ${max}`
  return unseen > 0 && median !== null ? `${text}, ${unseen} not seen` : text
}
