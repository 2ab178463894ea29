import { type ReactNode, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import type { IconName } from '../../../ui/icons.tsx'
import { useOperator, useStaffAction } from './use-operator.ts'

interface ReasonActionProps {
  /** On the button: `Pause`. */
  readonly word: string
  /** What the button is about, for those who do not see its row. */
  readonly of?: string
  readonly title: string
  /** Names the outcome in the dialog. */
  readonly verb: string
  /** The person's permission; without it there is nothing to see. */
  readonly permission: string
  readonly icon?: IconName
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly isFinal?: boolean
  readonly run: (reason: string) => Promise<{ readonly data: unknown }>
  readonly done: string
  readonly onDone?: (data: unknown) => void
  /** What will happen. */
  readonly children: ReactNode
}

/** A button that says what happens, asks for the reason, and acts. */
export function ReasonAction(props: ReasonActionProps) {
  const { word, of, title, verb, permission, icon, look = 'plain', isFinal = false, run, done, children } = props
  const { may } = useOperator()
  const [isOpen, setOpen] = useState(false)
  const action = useStaffAction({
    run,
    done,
    onDone: (data) => {
      setOpen(false)
      props.onDone?.(data)
    },
  })
  if (!may(permission)) return null
  const open = () => {
    action.reset()
    setOpen(true)
  }
  return (
    <>
      <Button
        look={look}
        onClick={open}
        {...(icon && { icon })}
        {...(of !== undefined && { 'aria-label': `${word} ${of}` })}
      >
        {word}
      </Button>
      <ConfirmDialog
        error={action.error}
        isBusy={action.isBusy}
        isFinal={isFinal}
        isOpen={isOpen}
        needsReason
        onClose={() => setOpen(false)}
        onConfirm={action.run}
        title={title}
        verb={verb}
      >
        <div className="grid gap-2 text-ink-2">{children}</div>
      </ConfirmDialog>
    </>
  )
}
