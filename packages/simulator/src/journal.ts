import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Entry } from './entries.ts'

export interface Journal {
  append(entry: Entry): void
  close(): void
}

/**
 * Opens the file and hands every entry it holds to `replay`. An append is in the kernel's hands when it returns, so it
 * survives the process being killed, which is what tests do; a power cut is not what the simulator is for, so no fsync.
 */
export function openJournal(path: string | undefined, replay: (entry: Entry) => void): Journal {
  if (path === undefined) return { append: () => undefined, close: () => undefined }
  const kept = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const length = readLines(kept, (line) => replay(JSON.parse(line) as Entry))
  const file = openSync(path, 'a')
  // A process killed in the middle of a write leaves half a line. It was never answered for, so it goes.
  if (length < kept.length) ftruncateSync(file, length)
  return {
    append: (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`),
    close: () => closeSync(file),
  }
}

/** Reads whole lines and returns where the last of them ended. */
function readLines(kept: Buffer, read: (line: string) => void): number {
  let start = 0
  for (let end = kept.indexOf(10); end !== -1; end = kept.indexOf(10, start)) {
    read(kept.toString('utf8', start, end))
    start = end + 1
  }
  return start
}
