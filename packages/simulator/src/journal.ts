import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Entry } from './entries.ts'

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
  const length = readLines(kept, (line) => replay(JSON.parse(line) as Entry))
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
