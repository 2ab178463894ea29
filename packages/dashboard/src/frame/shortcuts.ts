import { useEffect } from 'react'

type Keys = Readonly<Record<string, () => void>>

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Two keys one after another, such as `g p`, within this time. */
const sequenceMs = 900

interface Pressed {
  readonly key: string
  readonly at: number
}

/** The name of what was pressed, or nothing while the person types or a dialog has the keyboard. */
function keyOf(event: KeyboardEvent): string | undefined {
  if (event.metaKey || event.ctrlKey) return `mod+${event.key.toLowerCase()}`
  if (event.altKey || document.querySelector('dialog[open]')) return undefined
  return isTyping(event.target) ? undefined : event.key
}

/** Keys of the page, such as `?`, `mod+k` or `g p`. */
export function useShortcuts(keys: Keys): void {
  useEffect(() => {
    let first: Pressed | undefined
    const listen = (event: KeyboardEvent) => {
      const key = keyOf(event)
      if (key === undefined) return
      const run = runOf(keys, first, key, event.timeStamp)
      first = run ? undefined : { key, at: event.timeStamp }
      if (run) event.preventDefault()
      run?.()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys])
}

const runOf = (keys: Keys, first: Pressed | undefined, key: string, at: number) =>
  (first && at - first.at < sequenceMs ? keys[`${first.key} ${key}`] : undefined) ?? keys[key]
