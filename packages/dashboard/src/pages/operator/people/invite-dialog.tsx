import { operatorApi } from '../../../api/operator-api.ts'
import { operatorRoles } from '../../../generated/operator-values.ts'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'

export const roleOptions = operatorRoles.map(({ role, summary }) => ({ value: role, word: `${role}: ${summary}` }))

/** Codes such as `KE, UG`; everywhere if there are none. */
export const codesOf = (text = ''): string[] =>
  text
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((code) => code !== '')

export function ScopeFields() {
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField hint="Such as KE, UG; empty: everywhere" label="Only in countries" name="countries" />
      <TextField hint="Such as KES, UGX; empty: all" label="Only in currencies" name="currencies" />
    </div>
  )
}

/** A role of staff needs a second person: the link comes to you when it is approved, the code to the approver. */
export function InviteDialog({ onDone }: { readonly onDone: (result: unknown) => void }) {
  return (
    <FormDialog
      done="Invited"
      icon="plus"
      look="primary"
      onDone={onDone}
      run={({ name = '', email = '', role = '', countries, currencies, reason = '' }) =>
        operatorApi('postPeopleInvite', {
          body: { name, email, role, countries: codesOf(countries), currencies: codesOf(currencies), reason },
        })
      }
      title="Invite a person to the operator’s staff"
      verb="Propose the invitation"
      word="Invite a person"
    >
      <p className="text-ink-2">
        Another person approves it. Then you collect the link and the approver collects a code: the invited person needs
        both.
      </p>
      <TextField label="Name" name="name" required />
      <TextField label="E-mail" name="email" required type="email" />
      <SelectField label="Role" name="role" options={roleOptions} />
      <ScopeFields />
    </FormDialog>
  )
}
