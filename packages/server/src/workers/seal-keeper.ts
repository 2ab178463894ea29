import { appendFile, readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { sealHeads, sealLine, sealsAfter } from '../ledger/seals.ts'

/**
 * Seals the ledger, logs the seal, and copies every missing seal to the file outside the database. If a process dies in between,
 * the next one copies the rest.
 */
export async function keepSeals({ db, log, config }: Context): Promise<void> {
  const seal = await sealHeads(db.write)
  if (seal) log.info({ seal: sealLine(seal) }, 'ledger sealed')
  if (config.sealsPath === undefined) return
  const known = await readFile(config.sealsPath, 'utf8').catch(() => '')
  const last = BigInt(known.trimEnd().split('\n').at(-1)?.split(' ')[0] || '0')
  const missing = await sealsAfter(db.write, last)
  if (missing.length > 0) await appendFile(config.sealsPath, `${missing.map(sealLine).join('\n')}\n`, { flush: true })
}
