import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const listeners = new Set<() => void>()
const current = (): Theme => (document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light')

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The chosen theme is the only thing that the browser stores. */
export function toggleTheme(): void {
  const theme = current() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset['theme'] = theme
  localStorage.setItem('malipo.theme', theme)
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, current)
