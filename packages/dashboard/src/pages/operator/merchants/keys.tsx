import { operatorApi } from '../../../api/operator-api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Time } from '../../../ui/time.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { ReasonAction } from '../parts/reason-action.tsx'
import { useStaffSecret } from '../parts/staff-secret.tsx'
import type { Overview } from './queries.ts'
import type { PartProps } from './wallets.tsx'

type KeyPair = Overview['keys'][number]

/** Key pairs of the merchant. Their secrets are never shown again. */
export function Keys({ merchant, env }: PartProps) {
  const { keep, dialog } = useStaffSecret()
  return (
    <Card
      actions={
        <ReasonAction
          done="The key pair is made"
          onDone={keep}
          permission="keys:create"
          run={(reason) =>
            operatorApi('postMerchantsMerchantKeys', { path: { merchant: merchant.id }, body: { env, reason } })
          }
          title={`A key pair for ${merchant.name}`}
          verb={env === 'live' ? 'Propose the key pair' : 'Create the key pair'}
          word="Create a key pair"
        >
          <p>
            It may do everything that the merchant’s API allows in {env}.
            {env === 'live' && ' Another person must approve it; then you collect the API key.'}
          </p>
        </ReasonAction>
      }
      isFlush
      title="Keys"
    >
      {dialog}
      <DataTable
        columns={columns}
        empty={<Nothing title="No key pair">The merchant cannot call the API in {env} until it has one.</Nothing>}
        keyOf={({ publicKey }) => publicKey}
        label="Keys, table"
        rows={merchant.keys.filter((key) => key.env === env)}
      />
    </Card>
  )
}

const columns: readonly Column<KeyPair>[] = [
  {
    head: 'Public key',
    cell: ({ publicKey, createdAt }) => (
      <>
        <CopyText text={publicKey} what="Public key" />
        <span className="block text-xs text-ink-3">
          since <Time at={createdAt} isDate />
        </span>
      </>
    ),
  },
  {
    head: 'May',
    isWideOnly: true,
    className: 'text-xs text-ink-3',
    cell: ({ scopes, addresses }) =>
      `${scopes.join(', ') || 'everything'}${addresses.length > 0 ? ` from ${addresses.join(', ')}` : ''}`,
  },
  {
    head: 'State',
    isNumber: true,
    cell: ({ publicKey, state }) =>
      state === 'revoked' ? (
        <Badge icon="expired" tone="gone" word="Revoked" />
      ) : (
        <ReasonAction
          done="The key pair is revoked"
          isFinal
          look="danger"
          of={publicKey}
          permission="keys:revoke"
          run={(reason) => operatorApi('postKeysPublicKeyRevoke', { path: { publicKey }, body: { reason } })}
          title="Revoke this key pair"
          verb="Revoke the key pair"
          word="Revoke"
        >
          <p>Calls with it and with its tokens are refused at once.</p>
        </ReasonAction>
      ),
  },
]
