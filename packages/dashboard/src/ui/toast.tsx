import { useSyncExternalStore } from 'react'
import { Icon } from './icons.tsx'

interface Toast {
  readonly id: number
  readonly fact: string
  readonly consequence: string | undefined
}

const shownMs = 6000
const listeners = new Set<() => void>()
let toasts: readonly Toast[] = []
let made = 0

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

const drop = (id: number) => change(toasts.filter((toast) => toast.id !== id))

/** Says what has happened. Never the only record of it, and never for what needs a decision. */
export function say(fact: string, consequence?: string): void {
  made += 1
  const id = made
  change([...toasts.slice(-2), { id, fact, consequence }])
  setTimeout(() => drop(id), shownMs)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div
      aria-live="polite"
      className="fixed right-5 bottom-5 z-30 grid gap-2 max-phone:inset-x-3 max-phone:bottom-16"
      data-frame
    >
      {shown.map(({ id, fact, consequence }) => (
        <div
          className="flex min-w-[260px] items-center gap-3 rounded-md bg-ink px-3.5 py-2.5 text-surface shadow-raised"
          key={id}
        >
          <Icon name="done" />
          <span className="flex-1">
            {fact}
            {consequence !== undefined && <small className="block text-xs opacity-80">{consequence}</small>}
          </span>
          <button
            aria-label="Close the message"
            className="grid size-6 place-items-center"
            onClick={() => drop(id)}
            type="button"
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  )
}
