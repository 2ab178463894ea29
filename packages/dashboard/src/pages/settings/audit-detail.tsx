import { CopyText } from '../../ui/copy-text.tsx'
import { Detail } from '../../ui/detail.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonBlock } from '../../ui/json-block.tsx'
import { Time } from '../../ui/time.tsx'
import { AuditResult } from './audit-result.tsx'
import { actionWords } from './audit-words.ts'
import type { AuditEntry } from './settings-query.ts'

interface AuditDetailProps {
  readonly entry: AuditEntry
  readonly onClose: () => void
}

/** One entry: who, from where, why, and what changed. */
export function AuditDetail({ entry, onClose }: AuditDetailProps) {
  return (
    <Detail
      of="entry"
      id={entry.id}
      title={<h2 className="min-w-0 flex-1 font-semibold break-words">{actionWords(entry.action)}</h2>}
      actions={<AuditResult result={entry.result} />}
      onClose={onClose}
    >
      <Facts
        facts={[
          ['By', entry.actor.name || entry.actor.id],
          ['Time', <Time at={entry.at} key="time" />],
          ['Subject', <CopyText key="subject" text={entry.subject} what="Subject" />],
          ['Role', entry.role ?? '–'],
          ['Signed in by', entry.strength ?? '–'],
          ['From address', entry.address ?? '–'],
          ['Reason', entry.reason ?? '–'],
          [
            'Request',
            entry.requestId === undefined ? '–' : <CopyText key="id" text={entry.requestId} what="Request id" />,
          ],
        ]}
      />
      <Changes detail={entry.detail as Readonly<Record<string, unknown>>} />
      {entry.userAgent !== undefined && <p className="text-xs break-words text-ink-3">{entry.userAgent}</p>}
    </Detail>
  )
}

/** Before beside after where the entry has both; otherwise what it says. */
function Changes({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  const { before, after, ...rest } = detail
  return (
    <>
      {before !== undefined && <JsonBlock label="Before" value={before} />}
      {after !== undefined && <JsonBlock label="After" value={after} />}
      {Object.keys(rest).length > 0 && <JsonBlock label="Details" value={rest} />}
    </>
  )
}
