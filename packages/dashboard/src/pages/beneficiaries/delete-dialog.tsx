import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import type { Account } from './account-draft.ts'
import { beneficiariesKey } from './beneficiaries-query.ts'

interface DeleteDialogProps {
  readonly place: Place
  readonly account: Account
  readonly onClose: () => void
}

export function DeleteDialog({ place, account, onClose }: DeleteDialogProps) {
  const { externalAccountId, payoutMethod } = account
  const { run, isBusy, error } = useAction({
    run: (path: { readonly externalAccountId: string }, key) =>
      merchantApi(place)('deleteExternalAccountsExternalAccountId', { path, key }),
    done: () => `${payoutMethod.accountName} is deleted`,
    changes: [beneficiariesKey(place)],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      error={error}
      isBusy={isBusy}
      isOpen
      onClose={onClose}
      onConfirm={() => run({ externalAccountId })}
      title={`Delete ${payoutMethod.accountName}?`}
      verb="Delete the beneficiary"
    >
      <p>Payouts that were made to {payoutMethod.accountNumber} stay readable, and those in progress continue.</p>
    </ConfirmDialog>
  )
}
