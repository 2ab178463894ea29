import type { Config } from '../../config.ts'
import { liveFeesProblem } from '../../ledger/fee-table.ts'
import { skewMaxMs, skewMs } from '../../platform/clock.ts'
import { readCommand } from '../../platform/command-results.ts'
import type { Db } from '../../platform/db.ts'
import { pendingMigrations } from '../../platform/migrate.ts'
import { partitionsLeft, shortage } from '../../platform/partitions.ts'
import { createVault } from '../../platform/seal.ts'
import { missingKeys } from '../../platform/secret-keys.ts'
import { type Finding, failed, ok } from './checks.ts'

/** The same as of the alert MalipoBackupOld. */
const backupHoursMax = 26

/** What the database holds. A database older than this code cannot run the other checks. */
export async function contentFindings(db: Db, config: Config, isLive: boolean): Promise<Finding[]> {
  const pending = await pendingMigrations(db).catch(() => undefined)
  if (pending === undefined) return [failed('migrations', 'none applied')]
  if (pending.length > 0) return [failed('migrations', `not applied: ${pending.join(', ')}`)]
  return [
    ok('migrations', 'all applied'),
    await clock(db),
    await partitions(db),
    await secretKeys(db, config),
    await backups(db, isLive),
    ...(isLive ? [await liveFees(db)] : []),
  ]
}

async function clock(db: Db): Promise<Finding> {
  const skew = Math.abs(await skewMs(db))
  const message = `${skew} ms off the database clock`
  return skew <= skewMaxMs ? ok('clock', message) : failed('clock', message)
}

async function partitions(db: Db): Promise<Finding> {
  const left = await partitionsLeft(db)
  const short = shortage(left)
  if (short !== undefined) return failed('partitions', short)
  return ok('partitions', `${left.hours} hours and ${left.fewestMonths} months ahead`)
}

async function secretKeys(db: Db, { secretKeys: keys }: Config): Promise<Finding> {
  const what = 'secret keys'
  const missing = await missingKeys(db, createVault(keys))
  if (missing !== undefined) return failed(what, missing)
  if (keys[0].version === 2) return ok(what, `${keys[0].id} encrypts new values; all keys in use are configured`)
  return failed(what, `${keys[0].id} encrypts every value with one data key`, {
    health: 'poor',
    meaning: 'A key in this form does not change its data keys daily.',
    remedy: 'once every process runs this release, write name:v2:… in MALIPO_SECRET_KEYS',
  })
}

/** An installation without live money may do without. */
async function backups(db: Db, isLive: boolean): Promise<Finding> {
  const what = 'backups'
  const over = { health: isLive ? 'bad' : 'poor' } as const
  const last = await readCommand(db, 'backup')
  if (!last) return failed(what, 'none is recorded', over)
  const message = `the last one ended ${Math.floor(last.hours)} hours ago`
  if (!last.is_good) return failed(what, `${message} and failed`, over)
  return last.hours <= backupHoursMax ? ok(what, message) : failed(what, message, over)
}

async function liveFees(db: Db): Promise<Finding> {
  const problem = await liveFeesProblem(db)
  return problem === undefined ? ok('live fees', 'set') : failed('live fees', problem)
}
