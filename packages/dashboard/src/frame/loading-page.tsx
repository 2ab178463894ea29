const rows = Array.from({ length: 10 }, (_, row) => `row ${row}`)

/** The layout of a page without its data. */
export function LoadingPage() {
  return (
    <div aria-busy="true" aria-label="Loading" className="grid gap-4 px-6 py-5" role="status">
      <div className="h-7 w-40 rounded-sm bg-surface-3" />
      <div className="h-24 rounded-card bg-surface-2" />
      {rows.map((row) => (
        <div className="h-5 rounded-sm bg-surface-2" key={row} />
      ))}
    </div>
  )
}
