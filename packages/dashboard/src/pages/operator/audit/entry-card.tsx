import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { Time } from '../../../ui/time.tsx'
import { ChangeList, named } from '../proposals/change-list.tsx'
import type { AuditEntry } from './audit-page.tsx'

/** One entry: the person, the place it came from, what it changed, and its link in the chain. */
export function EntryCard({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { id, action, at, actor, detail, chain, number, hash, result, names, merchantId } = entry
  const facts = [
    ['Who', actor.name],
    ['As', entry.role ?? actor.kind],
    ['Signed in by', entry.strength],
    ['Address', entry.address],
    ['Program', entry.userAgent],
    ['About', names[entry.subject]],
    ['Environment', entry.env ?? 'both: it concerns a person, or a merchant as a whole'],
    ['Merchant', merchantId && named(merchantId, names)],
    ['Result', result],
    ['Reason', entry.reason],
    ['Request', entry.requestId],
    ['Chain', `${chain}, entry ${number}`],
  ] as const
  return (
    <Card className="shadow-raised max-wide:order-first" onClose={onClose} title={action}>
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Time at={at} />
          <CopyText text={id} what="Entry" />
          <CopyText text={entry.subject} what="Subject" />
        </div>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
          {facts.flatMap(([name, value]) =>
            value === undefined || value === '' ? (
              []
            ) : (
              <div className="contents" key={name}>
                <dt className="text-ink-3">{name}</dt>
                <dd className="break-words">{value}</dd>
              </div>
            ),
          )}
        </dl>
        <section>
          <h3 className="mb-1 text-xs font-medium text-ink-2">What it changed</h3>
          <ChangeList change={detail} names={names} />
          {Object.keys(detail).length === 0 && <p className="text-xs text-ink-3">Nothing more is recorded.</p>}
        </section>
        <p className="text-xs text-ink-3">
          Hash <CopyText text={hash} what="Hash" />
        </p>
      </div>
    </Card>
  )
}
