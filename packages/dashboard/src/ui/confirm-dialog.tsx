import { type FormEvent, type ReactNode, useState } from 'react'
import { ActionProblem } from './action-problem.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ReasonField, TextField } from './field.tsx'

interface ConfirmDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  /** Names the outcome: `Revoke the key pair`. */
  readonly verb: string
  readonly isFinal?: boolean
  /** The person must say why. */
  readonly needsReason?: boolean
  /** The person must type this, such as an amount above the threshold. */
  readonly typed?: { readonly label: string; readonly text: string } | undefined
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onConfirm: (reason: string) => void
  readonly children?: ReactNode
}

/** Asks before an action that cannot be taken back, or that moves money. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title } = props
  return (
    <Dialog className="w-[480px] max-w-[calc(100vw-24px)]" isOpen={isOpen} onClose={onClose} title={title}>
      <Confirm {...props} />
    </Dialog>
  )
}

function Confirm(props: ConfirmDialogProps) {
  const {
    title,
    verb,
    isFinal = false,
    needsReason = false,
    typed,
    isBusy,
    error,
    onConfirm,
    onClose,
    children,
  } = props
  const [reason, setReason] = useState('')
  const [text, setText] = useState('')
  const isReady = (!needsReason || reason.trim() !== '') && (!typed || text.trim() === typed.text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onConfirm(reason.trim())
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">{title}</h2>
      {children}
      {isFinal && <p className="text-fail">This is final. It cannot be taken back.</p>}
      {needsReason && <ReasonField onChange={(event) => setReason(event.target.value)} value={reason} />}
      {typed && (
        <TextField
          hint={`Type ${typed.text}`}
          inputMode="decimal"
          label={typed.label}
          onChange={(event) => setText(event.target.value)}
          value={text}
        />
      )}
      <ActionProblem error={error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={!isReady} isBusy={isBusy} look={isFinal ? 'danger' : 'primary'} type="submit">
          {verb}
        </Button>
      </div>
    </form>
  )
}
