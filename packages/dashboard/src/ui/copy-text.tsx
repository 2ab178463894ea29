import { Icon } from './icons.tsx'
import { say } from './toast.tsx'

const headLength = 12
const tailLength = 4

/** The middle of a long id says nothing to a person. */
export const shortId = (id: string): string =>
  id.length <= headLength + tailLength + 1 ? id : `${id.slice(0, headLength)}…${id.slice(-tailLength)}`

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(`${what} copied`)
  } catch {
    say('The browser did not allow copying')
  }
}

interface CopyTextProps {
  readonly text: string
  /** What is copied, for the message: `Reference`. */
  readonly what: string
  readonly isWhole?: boolean
}

/** An id with its middle left out. A click copies all of it. */
export function CopyText({ text, what, isWhole = false }: CopyTextProps) {
  return (
    <button
      aria-label={`Copy ${what.toLowerCase()} ${isWhole ? text : shortId(text)}`}
      className="inline-flex min-h-6 max-w-full items-center gap-1.5 font-mono text-xs hover:text-brand"
      onClick={() => void copyText(text, what)}
      title={text}
      type="button"
    >
      {isWhole ? <span className="truncate">{text}</span> : shortId(text)}
      <Icon className="text-ink-3" name="copy" size={13} />
    </button>
  )
}
