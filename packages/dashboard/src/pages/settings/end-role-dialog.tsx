import { merchantApi } from '../../api/merchant-api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'

export interface RoleOfPerson {
  readonly roleId: string
  readonly role: string
  readonly name: string
}

interface EndRoleDialogProps {
  /** Undefined: the dialog is closed. */
  readonly ending: RoleOfPerson | undefined
  readonly onClose: () => void
}

export function EndRoleDialog({ ending, onClose }: EndRoleDialogProps) {
  const place = usePlace()
  const end = useAction({
    run: ({ roleId, reason }: RoleOfPerson & { readonly reason: string }) =>
      merchantApi(place)('postPeopleRolesRoleIdEnd', { path: { roleId }, body: { reason } }),
    done: (_, { role, name }) => `${name} is no longer ${role}`,
    changes: [
      ['team', place],
      ['audit', place],
    ],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      error={end.error}
      isBusy={end.isBusy}
      isFinal
      isOpen={ending !== undefined}
      needsReason
      onClose={onClose}
      onConfirm={(reason) => ending && end.run({ ...ending, reason })}
      title="End the role"
      verb="End the role"
    >
      <p className="text-ink-2">
        {ending?.name} loses the role {ending?.role}. All sessions of this person end at once. What was done stays in
        the audit trail.
      </p>
    </ConfirmDialog>
  )
}
