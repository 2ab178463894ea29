import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Note } from '../../ui/note.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { useMay, usePlace } from '../use-place.ts'
import { EndRoleDialog, type RoleOfPerson } from './end-role-dialog.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteDialog, type Made } from './invite-dialog.tsx'
import { RolesCard } from './roles-card.tsx'
import { scopeWords } from './scope-words.ts'
import { type Team, teamQuery } from './settings-query.ts'

type Person = Team['people'][number]

/** The people of the merchant, their roles and the open invitations. Roles count in both environments. */
export function TeamTab() {
  const place = usePlace()
  const mayChange = useMay().has('people:write')
  const { data, error } = useQuery(teamQuery(place))
  const [isInviting, setInviting] = useState(false)
  const [made, setMade] = useState<Made>()
  const [ending, setEnding] = useState<RoleOfPerson>()
  const invite = mayChange && (
    <Button icon="plus" onClick={() => setInviting(true)}>
      Invite a person
    </Button>
  )
  return (
    <div className="grid items-start gap-4 wide:grid-cols-[8fr_4fr]">
      <div className="grid min-w-0 gap-4">
        {error && <Note look="fail">{error.message}</Note>}
        <Card about="Roles count in live and in the sandbox" actions={invite} isFlush title="People">
          <DataTable
            columns={usePeopleColumns(mayChange ? setEnding : undefined)}
            keyOf={({ id }) => id}
            label="Table of people"
            rows={data?.people ?? []}
          />
        </Card>
        <InvitationsCard invitations={data?.invitations ?? []} mayChange={mayChange} />
      </div>
      <RolesCard />
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} onMade={setMade} />
      <EndRoleDialog ending={ending} onClose={() => setEnding(undefined)} />
      <SecretOnce
        about={
          made?.needsConfirmation
            ? 'Send the link to the person. Joining also needs a code: another person of your team makes it under Invitations and passes it on by another way.'
            : 'Send the link to the person. It works once, for 72 hours.'
        }
        onClose={() => setMade(undefined)}
        title="The invitation"
        values={made && [{ label: 'Link', text: made.link }]}
      />
    </div>
  )
}

function usePeopleColumns(end: ((role: RoleOfPerson) => void) | undefined): readonly Column<Person>[] {
  const { id: ownId } = useMe()
  return [
    {
      head: 'Person',
      cell: ({ id, name, email }) => (
        <>
          <span className="flex items-center gap-2">
            <b className="font-medium">{name}</b>
            {id === ownId && <Badge icon="person" tone="run" word="You" />}
          </span>
          <span className="block text-xs break-all text-ink-3">{email}</span>
        </>
      ),
    },
    {
      head: 'Roles',
      cell: ({ name, roles }) => (
        <ul className="grid gap-1">
          {roles.map((role) => (
            <li className="flex min-h-8 flex-wrap items-center gap-x-2" key={role.id}>
              <span className="font-medium">{role.role}</span>
              <span className="text-xs text-ink-3">{scopeWords(role)}</span>
              <span className="flex-1" />
              {end && (
                <Button
                  aria-label={`End the role ${role.role} of ${name}`}
                  look="danger"
                  onClick={() => end({ roleId: role.id, role: role.role, name })}
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      ),
    },
  ]
}
