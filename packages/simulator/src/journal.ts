import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Entry, Payment, PaymentRef, PlannedOutcome, State } from './entries.ts'

export interface Journal {
  append(entry: Entry): void
  close(): void
}

/**
 * Opens the file and passes every entry to `replay`. An append is in the kernel when it returns, so it survives a
 * killed process, which is what tests do. It does not call fsync: the simulator need not survive a power cut.
 */
export function openJournal(path: string | undefined, replay: (entry: Entry) => void): Journal {
  if (path === undefined) return { append: () => undefined, close: () => undefined }
  const kept = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const length = readLines(kept, (line) => replay(upgraded(JSON.parse(line) as Entry | EarlierEntry)))
  const file = openSync(path, 'a')
  // A process killed during a write leaves half a line. Its request got no response, so the line is removed.
  if (length < kept.length) ftruncateSync(file, length)
  return {
    append: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  }
}

/** Reads whole lines and returns where the last one ended. */
function readLines(kept: Buffer, read: (line: string) => void): number {
  let start = 0
  for (let end = kept.indexOf(10); end !== -1; end = kept.indexOf(10, start)) {
    read(kept.toString('utf8', start, end))
    start = end + 1
  }
  return start
}

/** Entries of journals from before two names changed. */
type EarlierEntry =
  | {
      readonly entry: 'accepted'
      readonly payment: Omit<Payment, 'plannedOutcome'> & { readonly verdict: PlannedOutcome }
    }
  | (PaymentRef & { readonly entry: 'told'; readonly state: State; readonly receipt?: string })

function upgraded(entry: Entry | EarlierEntry): Entry {
  if (entry.entry === 'told') return { ...entry, entry: 'delivered' }
  if (entry.entry !== 'accepted' || !('verdict' in entry.payment)) return entry as Entry
  const { verdict: plannedOutcome, ...payment } = entry.payment
  return { entry: 'accepted', payment: { ...payment, plannedOutcome } }
}
