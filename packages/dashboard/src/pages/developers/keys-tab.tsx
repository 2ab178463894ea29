import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Note } from '../../ui/note.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Time } from '../../ui/time.tsx'
import { usePlace } from '../use-place.ts'
import { type KeyPair, keysQuery } from './developers-query.ts'
import { type MadePair, ReplaceDialog, RevokeDialog } from './key-dialogs.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

type Asked = { readonly verb: 'replace' | 'revoke'; readonly pair: KeyPair }

/** The key pairs of the environment. An API key is shown once, when it is made. */
export function KeysTab() {
  const place = usePlace()
  const { data, error } = useQuery(keysQuery(place))
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<MadePair>()
  const [asked, setAsked] = useState<Asked>()
  const pairs = [...(data ?? [])].sort((one, other) => one.state.localeCompare(other.state))
  const create = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New key pair
    </Button>
  )
  return (
    <>
      {error && <Note look="fail">{error.message}</Note>}
      <Card about="The API key is shown once, when it is made." actions={create} isFlush title="Key pairs">
        <DataTable
          columns={columnsOf(setAsked)}
          empty={data && <NoKeys />}
          keyOf={({ publicKey, createdAt }) => `${publicKey} ${createdAt}`}
          label="Table of key pairs"
          rows={pairs}
        />
      </Card>
      <NewKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} onMade={setMade} />
      <ReplaceDialog
        onClose={() => setAsked(undefined)}
        onMade={setMade}
        publicKey={asked?.verb === 'replace' ? asked.pair.publicKey : undefined}
      />
      <RevokeDialog
        onClose={() => setAsked(undefined)}
        publicKey={asked?.verb === 'revoke' ? asked.pair.publicKey : undefined}
      />
      <SecretOnce
        about="Exchange the pair for a token at POST /api/b2b/auth/generate-bearer-token. Keep the API key on your server only."
        onClose={() => setMade(undefined)}
        title="Your API key"
        values={
          made && [
            { label: 'Public key', text: made.publicKey },
            { label: 'API key', text: made.apiKey },
          ]
        }
      />
    </>
  )
}

const NoKeys = () => (
  <Empty title="There is no key pair yet">
    Your server needs one to call the API. New key pair makes it; the API key is shown once.
  </Empty>
)

const columnsOf = (ask: (asked: Asked) => void): readonly Column<KeyPair>[] => [
  { head: 'Public key', cell: ({ publicKey }) => <CopyText text={publicKey} what="Public key" /> },
  {
    head: 'State',
    cell: ({ state }) =>
      state === 'active' ? (
        <Badge icon="done" tone="ok" word="Active" />
      ) : (
        <Badge icon="expired" tone="gone" word="Revoked" />
      ),
  },
  { head: 'Scopes', isWideOnly: true, cell: ({ scopes }) => <Lines lines={scopes} max={3} /> },
  {
    head: 'Addresses',
    isWideOnly: true,
    cell: ({ addresses }) => <Lines lines={addresses.length === 0 ? ['any'] : addresses} max={3} />,
  },
  {
    head: 'Created',
    isWideOnly: true,
    cell: ({ createdAt }) => <Time at={createdAt} className="text-xs text-ink-2" isDate />,
  },
  {
    head: 'Last token',
    isWideOnly: true,
    cell: ({ tokenIssuedAt }) =>
      tokenIssuedAt === undefined ? (
        <span className="text-ink-3">never</span>
      ) : (
        <Time at={tokenIssuedAt} className="text-xs text-ink-2" isRelative />
      ),
  },
  {
    head: 'Actions',
    isNumber: true,
    cell: (pair) =>
      pair.state === 'active' && (
        <span className="inline-flex flex-wrap justify-end gap-1.5">
          <Button
            aria-label={`Replace the API key of ${pair.publicKey}`}
            onClick={() => ask({ verb: 'replace', pair })}
          >
            Replace
          </Button>
          <Button aria-label={`Revoke ${pair.publicKey}`} look="danger" onClick={() => ask({ verb: 'revoke', pair })}>
            Revoke
          </Button>
        </span>
      ),
  },
]

function Lines({ lines, max }: { readonly lines: readonly string[]; readonly max: number }) {
  const rest = lines.length - max
  return (
    <span className="block font-mono text-xs text-ink-2" title={lines.join('\n')}>
      {lines.slice(0, max).map((line) => (
        <span className="block" key={line}>
          {line}
        </span>
      ))}
      {rest > 0 && <span className="block text-ink-3">and {rest} more</span>}
    </span>
  )
}
