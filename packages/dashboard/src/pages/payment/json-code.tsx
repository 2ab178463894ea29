import type { ReactNode } from 'react'

const parts = /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\]|\\.)*")|\b(true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b/g

/** Text of a program, which scrolls sideways and is reached by keyboard. */
export function Code({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls sideways is reached by keyboard.
    <section aria-label={label} className="overflow-x-auto rounded-md border border-line bg-surface-2" tabIndex={0}>
      <pre className="px-3.5 py-2.5 font-mono text-xs leading-[18px]">{children}</pre>
    </section>
  )
}

/** JSON with its names and values in colours. */
export function JsonCode({ label, value }: { readonly label: string; readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? ''
  const found = [...text.matchAll(parts)]
  return (
    <Code label={label}>
      {found.map((match, index) => {
        const before = text.slice(index === 0 ? 0 : endOf(found[index - 1]), match.index)
        const look = match[1] ? 'text-ok' : match[2] ? 'text-warn' : 'text-wait'
        return (
          <span key={match.index}>
            {before}
            <span className={look}>{match[0]}</span>
          </span>
        )
      })}
      {text.slice(endOf(found.at(-1)))}
    </Code>
  )
}

const endOf = (match: RegExpExecArray | undefined) => (match ? match.index + match[0].length : 0)
