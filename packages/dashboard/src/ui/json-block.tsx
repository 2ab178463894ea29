interface JsonBlockProps {
  readonly label: string
  readonly value: unknown
}

const parts = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g

/** JSON as the API sends it: names, texts and figures each in their own colour. */
export function JsonBlock({ label, value }: JsonBlockProps) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
  return (
    <div className="grid min-w-0 gap-1.5">
      <span className="text-xs font-medium text-ink-2">{label}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reached by keyboard. */}
      <section aria-label={label} className="max-h-[360px] overflow-auto rounded-md border border-line" tabIndex={0}>
        <pre className="w-max min-w-full bg-surface-2 px-3 py-2.5 font-mono text-xs leading-[1.5]">
          {coloured(text)}
        </pre>
      </section>
    </div>
  )
}

function coloured(text: string) {
  const shown = []
  let at = 0
  for (const match of text.matchAll(parts)) {
    const [whole, quoted, colon] = match
    const word = colon === undefined ? whole : (quoted ?? whole)
    shown.push(text.slice(at, match.index))
    shown.push(
      <span className={lookOf(quoted, colon)} key={match.index}>
        {word}
      </span>,
    )
    at = match.index + word.length
  }
  return [...shown, text.slice(at)]
}

function lookOf(quoted: string | undefined, colon: string | undefined): string {
  if (colon !== undefined) return 'text-ok'
  return quoted === undefined ? 'text-wait' : 'text-warn'
}
