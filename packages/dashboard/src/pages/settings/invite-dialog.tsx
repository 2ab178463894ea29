import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { type Role, roles } from '../../generated/access.ts'
import type { Operations, Schemas } from '../../generated/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { controlsQuery } from '../approvals/approvals-query.ts'
import { useMay, usePlace } from '../use-place.ts'

export type Made = Schemas['NewInvitation']

interface InviteDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: (made: Made) => void
}

export function InviteDialog(props: InviteDialogProps) {
  return (
    <Dialog
      className="w-[520px] max-w-[calc(100vw-24px)]"
      isOpen={props.isOpen}
      onClose={props.onClose}
      title="Invite a person"
    >
      <Invite {...props} />
    </Dialog>
  )
}

type Order = Operations['postPeopleInvitations']['body']

const codesOf = (text: string) =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((code) => code !== '')

const empty = { name: '', email: '', role: 'viewer', countries: '', currencies: '' }

function Invite({ onClose, onMade }: InviteDialogProps) {
  const place = usePlace()
  const may = useMay()
  const [fields, setFields] = useState(empty)
  const grantable = roles.filter((role) => [...role.permissions, ...role.sandbox].every((each) => may.has(each)))
  const chosen = roles.find(({ role }) => role === fields.role)
  const invite = useAction({
    run: async (body: Order) => (await merchantApi(place)('postPeopleInvitations', { body })).data,
    done: () => undefined,
    changes: [['team', place]],
    onDone: (made) => {
      onClose()
      onMade(made)
    },
  })
  const field = (name: keyof typeof empty) => ({
    value: fields[name],
    problem: problemOf(invite.error, name),
    onChange: ({ target }: { target: { value: string } }) => setFields({ ...fields, [name]: target.value }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [countries, currencies] = [codesOf(fields.countries), codesOf(fields.currencies)]
    invite.run({
      name: fields.name.trim(),
      email: fields.email.trim(),
      role: fields.role as Role['role'],
      ...(countries.length > 0 && { countries }),
      ...(currencies.length > 0 && { currencies }),
    })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">Invite a person</h2>
      <TextField label="Name" maxLength={200} required {...field('name')} />
      <TextField label="E-mail" maxLength={254} required type="email" {...field('email')} />
      <SelectField
        hint={chosen?.summary}
        label="Role"
        options={grantable.map(({ role }) => ({ value: role, word: role }))}
        {...field('role')}
      />
      <div className="grid gap-3 phone:grid-cols-2">
        <TextField hint="Such as KE, UG; none: all" label="Only countries" {...field('countries')} />
        <TextField hint="Such as KES; none: all" label="Only currencies" {...field('currencies')} />
      </div>
      <CodeNote role={chosen} />
      <ActionProblem error={invite.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button isBusy={invite.isBusy} look="primary" type="submit">
          Make the invitation
        </Button>
      </div>
    </form>
  )
}

/** Where payouts need approval, no person alone adds one who makes or approves them. */
function CodeNote({ role }: { readonly role: Role | undefined }) {
  const { data } = useQuery(controlsQuery(usePlace()))
  const hasRule =
    data?.bulkNeedsApproval ||
    data?.newBeneficiariesNeedApproval ||
    data?.currencies.some(({ approvalAbove }) => approvalAbove !== undefined)
  const movesMoney = role?.permissions.some((each) => each === 'payouts:create' || each === 'payouts:approve')
  if (!hasRule || !movesMoney) return null
  return (
    <Note look="wait">
      This role makes or approves payouts, so joining also needs a code that another person of your team makes.
    </Note>
  )
}
