import { createHash, type Hash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline as connected, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** A transfer in PostgreSQL's text form of COPY: columns of `transfers` in their order, divided by tabs. */
export type ArchiveLine = string

/** Columns of a line. */
export const columns = {
  transaction_id: 0,
  number: 1,
  phase: 2,
  kind: 3,
  event: 4,
  debit_account: 5,
  credit_account: 6,
  amount: 7,
  currency: 8,
  wallet_id: 9,
  entry_at: 10,
  balance: 11,
  batch: 12,
  position: 13,
} as const

/** How many lines are in memory at once. */
export const linesAtOnce = 5000

/** What a month's file contains, added up from its lines. */
export interface Contents {
  readonly transfers: number
  readonly firstBatch: string
  readonly lastBatch: string
  /** The sum of all amounts in minor units. */
  readonly amounts: Readonly<Record<string, string>>
}

/** Adds up lines as they pass. */
export function createContents(): { add(lines: readonly ArchiveLine[]): void; sum(): Contents } {
  const amounts = new Map<string, bigint>()
  let [transfers, firstBatch, lastBatch] = [0, 0n, 0n]
  const addOne = (line: ArchiveLine) => {
    const fields = line.split('\t')
    const [currency, amount, batch] = [columns.currency, columns.amount, columns.batch].map((at) => fields[at] ?? '')
    amounts.set(String(currency), (amounts.get(String(currency)) ?? 0n) + BigInt(amount ?? ''))
    const number = BigInt(batch ?? '')
    if (transfers === 0 || number < firstBatch) firstBatch = number
    if (number > lastBatch) lastBatch = number
    transfers += 1
  }
  return {
    add: (lines) => lines.forEach(addOne),
    sum: () => ({
      transfers,
      firstBatch: String(firstBatch),
      lastBatch: String(lastBatch),
      amounts: Object.fromEntries([...amounts].sort().map(([currency, amount]) => [currency, String(amount)])),
    }),
  }
}

/** Works on a new file with an unused name, and removes it if the work fails: else each try on a full disk would add one. */
export async function withPartial<Result>(path: string, work: (partial: string) => Promise<Result>): Promise<Result> {
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`
  try {
    return await work(partial)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Writes pages of lines, compressed, and returns the SHA-256 of the file once it is on disk. */
export async function writeLines(path: string, pages: AsyncIterable<readonly ArchiveLine[]>): Promise<Buffer> {
  const hash = createHash('sha256')
  await pipeline(
    Readable.from(texts(pages)),
    createGzip(),
    hashed(hash),
    createWriteStream(path, { mode: 0o600, flags: 'wx' }),
  )
  await sync(path)
  return hash.digest()
}

async function* texts(pages: AsyncIterable<readonly ArchiveLine[]>): AsyncGenerator<string> {
  for await (const page of pages) if (page.length > 0) yield `${page.join('\n')}\n`
}

const hashed = (hash: Hash) =>
  new Transform({
    transform: (chunk: Buffer, _, callback) => {
      hash.update(chunk)
      callback(undefined, chunk)
    },
  })

/** Flushes a file, or the names in a folder, to disk. */
export async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

export const syncFolderOf = (path: string): Promise<void> => sync(dirname(path))

export async function hashOfFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest()
}

/** Pages of lines. Throws at a file that is cut off. The hash is over the file as it was read, once every page is. */
export async function* readLines(path: string, hash = createHash('sha256')): AsyncGenerator<readonly ArchiveLine[]> {
  const text = connected(createReadStream(path), hashed(hash), createGunzip(), () => undefined).setEncoding('utf8')
  let lines: string[] = []
  let rest = ''
  for await (const chunk of text as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n')
    rest += first
    for (const next of others) {
      lines.push(rest)
      rest = next
    }
    if (lines.length >= linesAtOnce) {
      yield lines
      lines = []
    }
  }
  if (rest !== '') throw new Error(`${path} ends within a line`)
  yield lines
}
