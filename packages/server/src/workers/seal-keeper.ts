import { appendFile, readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { sealHeads, sealLine, sealsAfter } from '../ledger/seals.ts'

const firstSealsMax = 1

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
  // More than the seals of a first start: the file was removed, and what is written now is only what the database says.
  if (last === 0n && missing.length > firstSealsMax)
    log.error(
      { path: config.sealsPath, seals: missing.length },
      'file of seals was missing, written again from the database',
    )
  if (missing.length > 0) await appendFile(config.sealsPath, `${missing.map(sealLine).join('\n')}\n`, { flush: true })
}
