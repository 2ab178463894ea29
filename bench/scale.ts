import type { Result } from './report.ts'

/** Published peaks of others, in payments a second. */
const peaks = [
  { name: "Stripe's peak", perSecond: 2300 },
  { name: 'M-Pesa', perSecond: 4000 },
  { name: 'UPI', perSecond: 7500 },
] as const

/** Cores of a cell's database, and the share of a core used at the peak. */
const databaseCores = 16
const usedShare = 0.6
/** Average rate of a day, as a share of its peak. */
const averageShare = 1 / 3
const secondsPerYear = 365 * 86_400

/** Cost of a whole payment, from request to webhook. */
export function costTable({ figures }: Result): string {
  const { apiMs, workerMs, postgresMs, bytes, walBytes, flushes } = costsOf(figures)
  const rows = [
    ['api: processor time', `${round(apiMs)} ms`],
    ['worker: processor time', `${round(workerMs)} ms`],
    ['PostgreSQL: processor time', `${round(postgresMs)} ms`],
    ['stored permanently', `${round(bytes / 1000)} kB`],
    ['WAL written', `${round(walBytes / 1000)} kB`],
    ['flushes to disk', String(round(flushes))],
  ]
  return `| cost per payment | |\n|---|---|\n${rows.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}\n`
}

/** Cores that the peaks of others would need, by those that were measured. */
export function sizesTable({ figures }: Result): string {
  const { apiMs, workerMs, postgresMs, bytes, walBytes } = costsOf(figures)
  const cellPerSecond = (databaseCores * usedShare * 1000) / postgresMs
  const processes = (perSecond: number, ms: number) => Math.ceil((perSecond * ms) / 1000 / usedShare)
  const rows = peaks.map(({ name, perSecond }) => {
    const cells = Math.ceil(perSecond / cellPerSecond)
    const each = perSecond / cells
    const terabytes = (perSecond * averageShare * secondsPerYear * bytes) / 1e12
    return [
      `${name}, ${perSecond.toLocaleString('en')}/s`,
      cells,
      processes(each, apiMs),
      processes(each, workerMs),
      `${round((each * walBytes) / 1e6)} MB/s`,
      `${round(terabytes)} TB`,
    ].join(' | ')
  })
  return `One cell with ${databaseCores} cores for its PostgreSQL handles ${Math.round(cellPerSecond).toLocaleString('en')} payments a second at this cost.

| peak | cells | api processes in each | worker processes in each | WAL in each | stored in a year, all cells |
|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}
`
}

function costsOf(figures: Result['figures']) {
  const of = (name: string) => figures[name] ?? Number.NaN
  return {
    apiMs: of('apiMsPerPayment'),
    workerMs: of('workerMsPerPayment'),
    postgresMs: of('postgresMsPerPayment'),
    bytes: of('bytesPerPayment'),
    walBytes: of('walBytesPerPayment'),
    flushes: of('flushesPerPayment'),
  }
}

const round = (value: number) => Number(value.toPrecision(2))
