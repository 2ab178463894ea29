import { useEffect } from 'react'

/**
 * What has the keyboard may be taken off the page: a dialog whose action is done, a form that was sent, a page that was left. The browser
 * then gives the keyboard to no element, and the next Tab starts at the top. Here the opener of the dialog gets it, or the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | undefined
    let opener: HTMLElement | undefined
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      last = target
      if (!target.closest('dialog')) opener = target
    }
    const keep = () => {
      if (document.activeElement !== document.body || !last || last.isConnected) return
      const isDialog = last.closest('dialog') !== null
      last = undefined
      if (isDialog && opener?.isConnected) opener.focus()
      if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(keep)
    observer.observe(document.body, { childList: true, subtree: true })
    addEventListener('focusin', note)
    return () => {
      observer.disconnect()
      removeEventListener('focusin', note)
    }
  }, [])
}
