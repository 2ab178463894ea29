import { useSyncExternalStore } from 'react'

/** Whether the window is as narrow or wide as a media query says, also after it was resized. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}

export const useIsPhone = (): boolean => useMedia('(max-width: 720px)')
