import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook } from '../../ui/button-look.ts'
import { Card } from '../../ui/card.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { passkeysQuery, sessionsQuery } from './settings-query.ts'

const strengths: Readonly<Record<string, string>> = {
  passkey: 'passkey',
  password_totp: 'password and code',
  oidc: 'identity provider',
}

/**
 * How this person signs in, to read. Changes are made on the page of the account: it also works for people who have lost a device or
 * have no role yet, and there is one place for them.
 */
export function SecurityTab() {
  const { hasPassword, strength } = useMe()
  const { data: passkeys = [] } = useQuery(passkeysQuery)
  const { data: sessions = [] } = useQuery(sessionsQuery)
  const link = (
    <a className={buttonLook()} href="/account">
      Change in your account
    </a>
  )
  const ways = [
    ...passkeys.map(({ id, name, lastUsedAt }) => ({ id, name, kind: 'Passkey', lastUsedAt })),
    ...(hasPassword
      ? [{ id: 'password', name: 'Password and authenticator app', kind: 'Used together', lastUsedAt: null }]
      : []),
  ]
  return (
    <div className="grid items-start gap-4 wide:grid-cols-2">
      <Card
        about={`You signed in by ${strengths[strength] ?? strength}`}
        actions={link}
        isFlush
        title="Ways to sign in"
      >
        <DataTable
          columns={[
            { head: 'Name', cell: ({ name }) => <b className="font-medium">{name}</b> },
            { head: 'Kind', cell: ({ kind }) => kind },
            {
              head: 'Last used',
              isWideOnly: true,
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? '–' : <Time at={lastUsedAt} isRelative />),
            },
          ]}
          empty={<p className="px-4 pb-4 text-ink-3">You sign in at the identity provider of the operator.</p>}
          keyOf={({ id }) => id}
          label="Table of ways to sign in"
          rows={ways}
        />
      </Card>
      <Card about="End those that are not yours" isFlush title="Sessions">
        <DataTable
          columns={[
            {
              head: 'Session',
              cell: ({ kind, isThis }) => (
                <span className="inline-flex items-center gap-2">
                  <b className="font-medium">{String(kind) === 'cli' ? 'Command line' : 'Browser'}</b>
                  {isThis && <Badge icon="done" tone="ok" word="This one" />}
                </span>
              ),
            },
            { head: 'Address', cell: ({ address }) => <code className="font-mono text-xs">{address}</code> },
            {
              head: 'Signed in by',
              isWideOnly: true,
              cell: ({ strength: by }) => strengths[by] ?? by,
            },
            { head: 'Last used', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} isRelative /> },
          ]}
          keyOf={({ id }) => id}
          label="Table of sessions"
          rows={sessions}
        />
      </Card>
    </div>
  )
}
