import { useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Time } from '../../ui/time.tsx'
import { useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'
import { scopeWords } from './scope-words.ts'
import type { Team } from './settings-query.ts'

type Invitation = Team['invitations'][number]

interface InvitationsCardProps {
  readonly invitations: readonly Invitation[]
  readonly mayChange: boolean
}

/** Invitations that can still be accepted. */
export function InvitationsCard({ invitations, mayChange }: InvitationsCardProps) {
  const place = usePlace()
  const { id: ownId } = useMe()
  const [code, setCode] = useState<string>()
  const withdraw = useAction({
    run: (invitationId: string) =>
      merchantApi(place)('postPeopleInvitationsInvitationIdRevoke', { path: { invitationId } }),
    done: () => 'Invitation withdrawn. Its link no longer works.',
    changes: [['team', place]],
  })
  const makeCode = useAction({
    run: async (invitationId: string) =>
      (await merchantApi(place)('postPeopleInvitationsInvitationIdCode', { path: { invitationId } })).data.code,
    done: () => undefined,
    onDone: setCode,
  })
  const actions: Column<Invitation> = {
    head: 'Actions',
    isNumber: true,
    cell: ({ id, email, invitedBy }) => (
      <span className="inline-flex flex-wrap justify-end gap-1.5">
        {invitedBy !== ownId && (
          <Button aria-label={`Make the code for ${email}`} isBusy={makeCode.isBusy} onClick={() => makeCode.run(id)}>
            Make code
          </Button>
        )}
        <Button
          aria-label={`Withdraw the invitation of ${email}`}
          isBusy={withdraw.isBusy}
          look="danger"
          onClick={() => withdraw.run(id)}
        >
          Withdraw
        </Button>
      </span>
    ),
  }
  return (
    <Card about="A link works once, for 72 hours" isFlush title="Invitations">
      <div className="px-4">
        <ActionProblem error={withdraw.error ?? makeCode.error} />
      </div>
      <DataTable
        columns={[...facts, ...(mayChange ? [actions] : [])]}
        empty={<p className="px-4 pb-4 text-ink-3">No invitation is open. Invite a person makes one.</p>}
        keyOf={({ id }) => id}
        label="Table of invitations"
        rows={invitations}
      />
      <SecretOnce
        about="Pass it on by another way than the link, such as by phone. A new code ends the one before."
        onClose={() => setCode(undefined)}
        title="Confirmation code"
        values={code === undefined ? undefined : [{ label: 'Code', text: code }]}
      />
    </Card>
  )
}

const facts: readonly Column<Invitation>[] = [
  {
    head: 'Person',
    cell: ({ name, email }) => (
      <>
        <b className="block font-medium">{name}</b>
        <span className="block text-xs break-all text-ink-3">{email}</span>
      </>
    ),
  },
  {
    head: 'Role',
    cell: (invitation) => (
      <>
        <span className="block font-medium">{invitation.role}</span>
        <span className="block text-xs text-ink-3">{scopeWords(invitation)}</span>
      </>
    ),
  },
  {
    head: 'Ends',
    isWideOnly: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} className="text-xs text-ink-3" isRelative />,
  },
]
