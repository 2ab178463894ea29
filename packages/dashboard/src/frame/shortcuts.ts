import { useEffect } from 'react'

type Keys = Readonly<Record<string, () => void>>

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Two keys one after another, such as `g p`, within this time. */
const sequenceMs = 900

/** Keys of the page, such as `?`, `mod+k` or `g p`. They never fire while the person types, except those with `mod`. */
export function useShortcuts(keys: Keys): void {
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | undefined
    const listen = (event: KeyboardEvent) => {
      const isMod = event.metaKey || event.ctrlKey
      if (event.altKey || (isTyping(event.target) && !isMod && event.key !== 'Escape')) return
      const key = isMod ? `mod+${event.key.toLowerCase()}` : event.key
      const isSecond = first !== undefined && event.timeStamp - first.at < sequenceMs
      const run = (isSecond ? keys[`${first?.key} ${key}`] : undefined) ?? keys[key]
      first = run ? undefined : { key, at: event.timeStamp }
      if (!run) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys])
}
