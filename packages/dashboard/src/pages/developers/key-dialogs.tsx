import { merchantApi } from '../../api/merchant-api.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'

export interface MadePair {
  readonly publicKey: string
  /** Shown once. */
  readonly apiKey: string
}

interface ReplaceDialogProps {
  /** The pair whose API key is replaced; undefined: the dialog is closed. */
  readonly publicKey: string | undefined
  readonly onClose: () => void
  readonly onMade: (made: MadePair) => void
}

export function ReplaceDialog({ publicKey, onClose, onMade }: ReplaceDialogProps) {
  const place = usePlace()
  const replace = useAction({
    run: async (key: string) =>
      (await merchantApi(place)('postKeysPublicKeyRotate', { path: { publicKey: key } })).data,
    done: () => undefined,
    changes: [['keys', place]],
    onDone: (made) => {
      onClose()
      onMade(made)
    },
  })
  return (
    <ConfirmDialog
      error={replace.error}
      isBusy={replace.isBusy}
      isOpen={publicKey !== undefined}
      onClose={onClose}
      onConfirm={() => publicKey !== undefined && replace.run(publicKey)}
      title="Replace the API key"
      verb="Replace the API key"
    >
      <p className="text-ink-2">
        The public key stays. The old API key and its tokens end within 5 seconds, so requests fail until your server
        has the new one.
      </p>
      <p className="text-ink-2">
        To change without a gap: create a second pair, deploy it, see its first request in Requests, then revoke this
        one.
      </p>
    </ConfirmDialog>
  )
}

interface RevokeDialogProps {
  readonly publicKey: string | undefined
  readonly onClose: () => void
}

export function RevokeDialog({ publicKey, onClose }: RevokeDialogProps) {
  const place = usePlace()
  const revoke = useAction({
    run: ({ key, reason }: { readonly key: string; readonly reason: string }) =>
      merchantApi(place)('postKeysPublicKeyRevoke', { path: { publicKey: key }, body: { reason } }),
    done: () => 'Key pair revoked. Its tokens end within 5 seconds.',
    changes: [['keys', place]],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      error={revoke.error}
      isBusy={revoke.isBusy}
      isFinal
      isOpen={publicKey !== undefined}
      needsReason
      onClose={onClose}
      onConfirm={(reason) => publicKey !== undefined && revoke.run({ key: publicKey, reason })}
      title="Revoke the key pair"
      verb="Revoke the key pair"
    >
      <p className="text-ink-2">
        <code className="font-mono text-xs break-all">{publicKey}</code> and its tokens end within 5 seconds. Payments
        that it made continue.
      </p>
    </ConfirmDialog>
  )
}
