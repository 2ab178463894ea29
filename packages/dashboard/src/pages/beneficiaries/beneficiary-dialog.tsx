import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { type Account, type AccountDraft, accountBody, draftOf, emptyAccount, isComplete } from './account-draft.ts'
import { AccountFields, useRailName } from './account-fields.tsx'
import { beneficiariesKey } from './beneficiaries-query.ts'
import { NameCheckNote, needsDecision, useNameCheck } from './name-check.tsx'

interface BeneficiaryDialogProps {
  readonly place: Place
  /** The one to change; undefined for a new one. */
  readonly account: Account | undefined
  readonly onClose: () => void
}

export function BeneficiaryDialog(props: BeneficiaryDialogProps) {
  const title = props.account ? 'Edit the beneficiary' : 'Add a beneficiary'
  return (
    <Dialog className="w-[640px] max-w-[calc(100vw-24px)]" isOpen onClose={props.onClose} title={title}>
      <BeneficiaryForm {...props} title={title} />
    </Dialog>
  )
}

function BeneficiaryForm({ place, account, onClose, title }: BeneficiaryDialogProps & { readonly title: string }) {
  const [draft, setDraft] = useState<AccountDraft>(account ? draftOf(account) : emptyAccount)
  const [hasDecided, setDecided] = useState(false)
  const check = useNameCheck(place, draft)
  const rail = useRailName(place)(draft)
  const save = useSave(place, account, onClose)
  const isReady = isComplete(draft) && (!needsDecision(check) || hasDecided)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) save.run(draft)
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">{title}</h2>
      <AccountFields
        draft={draft}
        onChange={(next) => {
          setDraft(next)
          setDecided(false)
        }}
        place={place}
        problemOf={(field) => problemOf(save.error, field)}
      />
      <NameCheckNote accountName={draft.accountName} check={check} rail={rail} />
      {needsDecision(check) && (
        <CheckField
          isChecked={hasDecided}
          label="I have checked with the owner: keep this account"
          onChange={setDecided}
        />
      )}
      <ActionProblem error={save.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={!isReady} isBusy={save.isBusy} look="primary" type="submit">
          {account ? 'Save the changes' : 'Add the beneficiary'}
        </Button>
      </div>
    </form>
  )
}

function useSave(place: Place, account: Account | undefined, onDone: () => void) {
  const api = merchantApi(place)
  return useAction({
    run: async (draft: AccountDraft, key) => {
      const body = accountBody(draft)
      if (!account) return api('postExternalAccounts', { body: { ...body, type: 'payout' }, key })
      const path = { externalAccountId: account.externalAccountId }
      return api('putExternalAccountsExternalAccountId', { path, body, key })
    },
    done: (_, { accountName }) => `${accountName.trim()} is ${account ? 'changed' : 'added'}`,
    changes: [beneficiariesKey(place), ['beneficiary', place]],
    onDone,
  })
}
