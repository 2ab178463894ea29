import { type ReactNode, useEffect, useRef } from 'react'

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  readonly className?: string
}

/** The browser's own dialog: it traps focus and returns it, and Escape closes it. */
export function Dialog({ isOpen, onClose, title, children, className = '' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (isOpen && dialog && !dialog.open) dialog.showModal()
    if (!isOpen && dialog?.open) dialog.close()
  }, [isOpen])
  return (
    <dialog
      aria-label={title}
      className={`m-auto rounded-lg bg-surface p-0 text-left whitespace-normal text-ink shadow-raised backdrop:bg-[var(--scrim)] ${className}`}
      onClose={onClose}
      ref={ref}
    >
      {isOpen && children}
    </dialog>
  )
}
