import { type FormEvent, type ReactNode, useState } from 'react'
import { ActionProblem } from '../../../ui/action-problem.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ReasonField } from '../../../ui/field.tsx'
import type { IconName } from '../../../ui/icons.tsx'
import { useStaffAction } from './use-operator.ts'

interface FormDialogProps {
  /** On the button that opens it. */
  readonly word: string
  readonly of?: string
  readonly icon?: IconName
  readonly look?: 'primary' | 'plain' | 'quiet'
  readonly title: string
  readonly verb: string
  readonly hasReason?: boolean
  /** Takes the fields by name; empty ones are left out. */
  readonly run: (fields: Readonly<Record<string, string>>) => Promise<{ readonly data: unknown }>
  readonly done: string
  readonly onDone?: (data: unknown) => void
  readonly children: ReactNode
}

/** A button that opens a form with its fields and the reason. */
export function FormDialog(props: FormDialogProps) {
  const { word, of, icon, look = 'plain', title } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        look={look}
        onClick={() => setOpen(true)}
        {...(icon && { icon })}
        {...(of !== undefined && { 'aria-label': `${word} ${of}` })}
      >
        {word}
      </Button>
      <Dialog
        className="w-[520px] max-w-[calc(100vw-24px)]"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={title}
      >
        <Form {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function Form(props: FormDialogProps & { readonly onClose: () => void }) {
  const { title, verb, hasReason = true, run, done, onDone, onClose, children } = props
  const action = useStaffAction({
    run,
    done,
    onDone: (data) => {
      onClose()
      onDone?.(data)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    action.run(fieldsOf(event.currentTarget))
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">{title}</h2>
      {children}
      {hasReason && <ReasonField name="reason" />}
      <ActionProblem error={action.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button isBusy={action.isBusy} look="primary" type="submit">
          {verb}
        </Button>
      </div>
    </form>
  )
}

const fieldsOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
    ),
  )
