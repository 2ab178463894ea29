import type { CheckedRow } from './use-bulk.ts'

const looks = {
  ready: 'bg-ok-line',
  problem: 'bg-fail ring-2 ring-fail ring-offset-1 ring-offset-surface',
  'left-out': 'border border-line-3',
  unchecked: 'bg-surface-3',
} as const

/** One cell for each row of the file, in its order. */
export function RowMap({ rows }: { readonly rows: readonly CheckedRow[] }) {
  return (
    <div
      aria-label={wordsFor(rows)}
      className="grid grid-cols-[repeat(auto-fill,minmax(11px,1fr))] gap-[3px]"
      role="img"
    >
      {rows.map(({ row, state }) => (
        <span className={`h-3 rounded-[3px] ${looks[state]}`} key={row.number} />
      ))}
    </div>
  )
}

function wordsFor(rows: readonly CheckedRow[]): string {
  const problems = rows.filter(({ state }) => state === 'problem').map(({ row }) => row.number)
  const named = problems.slice(0, 20).join(', ')
  const where =
    problems.length === 0 ? 'No problems.' : `Problems in ${problems.length === 1 ? 'row' : 'rows'} ${named}.`
  return `${rows.length} rows in the order of the file. ${where}`
}

export function RowMapLegend() {
  const entries = [
    ['ready', 'bg-ok-line'],
    ['cannot be paid', 'bg-fail'],
    ['left out', 'border border-line-3'],
  ] as const
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-ink-2">
      {entries.map(([word, look]) => (
        <span className="inline-flex items-center gap-1.5" key={word}>
          <span className={`size-2.5 rounded-[2px] ${look}`} />
          {word}
        </span>
      ))}
    </span>
  )
}
