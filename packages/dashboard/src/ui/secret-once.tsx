import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { copyText } from './copy-text.tsx'
import { Dialog } from './dialog.tsx'
import { Note } from './note.tsx'

interface Secret {
  readonly label: string
  readonly text: string
}

interface SecretOnceProps {
  readonly title: string
  /** What is shown: the last is the secret. Nothing: the dialog is closed. */
  readonly values: readonly Secret[] | undefined
  /** What stops or starts with it. */
  readonly about: ReactNode
  readonly onClose: () => void
}

/** A secret that the server shows this once. It stays in memory only, until the dialog is closed. */
export function SecretOnce({ title, values, about, onClose }: SecretOnceProps) {
  return (
    <Dialog
      className="w-[560px] max-w-[calc(100vw-24px)]"
      isOpen={values !== undefined}
      onClose={onClose}
      title={title}
    >
      <div className="grid gap-4 p-5">
        <h2 className="text-lg font-semibold">{title}</h2>
        <Note look="warn">It is shown this once. Store it now; Malipo keeps only a hash or a sealed copy.</Note>
        {values?.map(({ label, text }) => (
          <div className="grid gap-1" key={label}>
            <span className="text-xs font-medium text-ink-2">{label}</span>
            <div className="flex items-center gap-2 rounded-sm border border-line bg-surface-2 py-1.5 pr-1.5 pl-3">
              <code className="min-w-0 flex-1 font-mono text-xs break-all">{text}</code>
              <Button aria-label={`Copy ${label}`} icon="copy" onClick={() => void copyText(text, label)}>
                Copy
              </Button>
            </div>
          </div>
        ))}
        <p className="text-ink-2">{about}</p>
        <div className="flex justify-end">
          <Button look="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
