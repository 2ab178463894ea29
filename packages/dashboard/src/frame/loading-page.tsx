const tiles = ['first', 'second', 'third', 'fourth']
const rows = Array.from({ length: 8 }, (_, row) => `row ${row}`)

/** The layout of a page without its data. */
export function LoadingPage() {
  return (
    <div aria-busy="true" aria-label="Loading" className="grid gap-4 px-6 py-5 max-phone:px-4" role="status">
      <span className="skeleton h-7 w-40" />
      <div className="grid grid-cols-2 gap-4 rounded-card border border-line p-4 phone:grid-cols-4">
        {tiles.map((tile) => (
          <span className="grid gap-2" key={tile}>
            <span className="skeleton h-3 w-20" />
            <span className="skeleton h-6 w-28" />
            <span className="skeleton h-3 w-24" />
          </span>
        ))}
      </div>
      <div className="grid gap-4 rounded-card border border-line p-4">
        {rows.map((row) => (
          <span className="skeleton h-4" key={row} />
        ))}
      </div>
    </div>
  )
}
