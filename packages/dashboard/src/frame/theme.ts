import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const listeners = new Set<() => void>()
/** Set before the page is drawn, by theme.js, from the person's choice or the system's. */
const current = (): Theme => (document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light')

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function toggleTheme(): void {
  const theme = current() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset['theme'] = theme
  localStorage.setItem('malipo.theme', theme)
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, current)
