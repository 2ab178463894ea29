import { useEffect, useRef } from 'react'
import { CopyText } from '../../ui/copy-text.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icons.tsx'
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
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry takes the focus again.
  useEffect(() => ref.current?.focus(), [entry.id])
  return (
    <section
      aria-label="Entry"
      className="grid min-w-0 gap-3.5 rounded-card border border-line p-4 outline-none max-wide:order-first"
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold break-words">{actionWords(entry.action)}</h2>
        <AuditResult result={entry.result} />
        <button aria-label="Close the entry" className="p-1.5" onClick={onClose} type="button">
          <Icon name="close" />
        </button>
      </header>
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
    </section>
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
