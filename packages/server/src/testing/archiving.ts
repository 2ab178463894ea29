import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { until } from '../dev-stack/until.ts'
import { archivedMonths } from '../ledger/archive/archived-months.ts'
import { createMonth } from '../ledger/archive/create.ts'
import { lockArchive } from '../ledger/archive/replace-month.ts'
import { restoreMonth } from '../ledger/archive/restore.ts'
import { foldDeltas } from '../ledger/deltas.ts'
import { sealHeads } from '../ledger/seals.ts'
import type { Db } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { asOwner } from '../platform/owner.ts'
import { attachPartitions } from '../platform/partitions.ts'
import { Secret } from '../platform/secret.ts'
import { sumDays } from '../wallets/sum-days.ts'
import { movement } from './ledger.ts'
import { payOut, payoutInDoubt } from './paying.ts'
import { createPoster } from './poster.ts'
import { type RefundingMalipo, type RefundingMerchant, refundingMalipo } from './refunding.ts'

/** A merchant's payments in four months that have ended, and the current month. */
export interface ArchivingScene {
  readonly malipo: RefundingMalipo
  readonly merchant: RefundingMerchant
  /** The four months, oldest first, such as `2025-01`. */
  readonly months: readonly [string, string, string, string]
  /** Every payment. */
  readonly payments: readonly string[]
  /** Of the first month: ended, and nothing needs its transfers. */
  readonly charge: string
  /** Of the first month: returned its part of the charge's fee. */
  readonly refund: string
  /** Of the first month, and still in doubt. */
  readonly doubt: string
  /** Of the first month, the last of a merchant that had no other payment: its day is not summed. */
  readonly unsummed: string
  /** Of the first month: ended, and not refunded. */
  readonly paid: string
  /** A folder for the files, which ends with the test. */
  readonly folder: string
  /** Seals, checks and sums up everything that is written. */
  settle(): Promise<void>
  /** Archives the first three of the months. */
  archive(): Promise<void>
}

export async function archivingScene(t: TestContext): Promise<ArchivingScene> {
  const { superuserUrl } = await testDatabase()
  const malipo = await refundingMalipo(t, { DATABASE_OWNER_URL: superuserUrl })
  malipo.work()
  const merchant = await malipo.refunding()
  const folder = mkdtempSync(join(tmpdir(), 'malipo-archive-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))

  const charge = (await merchant.paid()).id
  const refund = await refundOf(malipo, merchant, charge)
  const doubt = (await payoutInDoubt(malipo, merchant, { moment: 'before' })).id
  const unsummed = (await (await malipo.refunding()).paid()).id
  const payments = [charge, refund, doubt]
  const months: string[] = []
  for (let month = 0; month < 4; month += 1) {
    const paid = (await merchant.paid()).id
    const payout = (await payOut(merchant, { by: 'house' })).id
    await malipo.comesTo(payout, 'successful')
    payments.push(paid, payout)
    months.push(await startNextMonth(malipo))
  }
  payments.push((await merchant.paid()).id)
  const settle = () => settleAll(malipo)
  await settle()
  const [first = '', second = '', third = '', fourth = ''] = months
  const archive = async () => {
    const created = await malipo.operator.archive.create({ before: fourth, folder, keptMonths: 0 })
    assert.deepEqual(
      created.map(({ month }) => month),
      [first, second, third],
    )
  }
  return {
    malipo,
    merchant,
    months: [first, second, third, fourth],
    unsummed,
    paid: payments[3] ?? '',
    payments,
    charge,
    refund,
    doubt,
    folder,
    settle,
    archive,
  }
}

export type ArchiverWork = 'create' | 'restore'

/** One run for the first month, with statements that pass through `over`. Its connections end like those of a killed process. */
export async function runArchiver(
  { malipo, folder, months }: ArchivingScene,
  work: ArchiverWork,
  over = <Each extends Db>(db: Each) => db,
  onVerified: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { superuserUrl } = await testDatabase()
  await asOwner(new Secret(superuserUrl), async (connection) => {
    await lockArchive(connection)
    const session = await malipo.ctx.db.openSession()
    try {
      const archiver = { session: over(session), owner: over(connection) }
      const order = { folder, cell: 0, onVerified }
      const [archived] = await archivedMonths(session)
      if (work === 'create') await createMonth(archiver, { ...order, month: months[0] })
      else if (archived) await restoreMonth(archiver, archived, order)
    } finally {
      await session.close()
    }
  })
}

/** Money that moves for a payment long after its end. */
export async function moveLate({ malipo }: ArchivingScene, shownId: string): Promise<void> {
  const [debit, credit] = await malipo.ask<{ id: string }>(
    `select min(id::text) as id
     from platform_accounts
     where currency = 'KES' and env = 'sandbox'
     group by kind
     order by kind
     limit 2`,
  )
  const late = movement({
    ...{
      kind: 'transfer',
      event: 'provider_fee_reported',
      number: 90,
      transaction_id: readId('transaction', shownId) ?? '',
    },
    ...{ debit_account: debit?.id ?? '', credit_account: credit?.id ?? '' },
  })
  assert.equal(await createPoster(malipo.ctx.db.write).submit({ wallets: [], movements: [late] }), undefined)
  // Tests beside this one have open transactions too, and a check reads only batches before all of them.
  await until('the late money to be checkable', async () => {
    const [row] = await malipo.ask<{ is_settled: boolean }>(
      'select max(batch) < settled_below() as is_settled from transfers',
    )
    return row?.is_settled === true
  })
}

async function refundOf(malipo: RefundingMalipo, merchant: RefundingMerchant, charge: string): Promise<string> {
  const refund = await merchant.refunded(charge, { amount: 400 })
  await malipo.comesTo(refund, 'successful')
  return refund
}

/** Moves the database's clock to the middle of the next month, and returns the month that ended. */
async function startNextMonth(malipo: RefundingMalipo): Promise<string> {
  const [row] = await malipo.ask<{ month: string }>(`
    with ended as (select date_trunc('month', record_time() at time zone 'UTC') as month)
    update clock_offset
    set ahead = (ended.month + interval '1 month 14 days') at time zone 'UTC' - clock_timestamp()
    from ended
    returning to_char(ended.month, 'YYYY-MM') as month`)
  await attachPartitions(malipo.ctx.db.write)
  return row?.month ?? ''
}

async function settleAll({ ctx, operator, ask }: RefundingMalipo): Promise<void> {
  const db = ctx.db.write
  await sumDays(db, { signal: new AbortController().signal })
  await until('everything to be sealed and checked', async () => {
    await foldDeltas(db)
    await sealHeads(db)
    await operator.ledger.check({ isFull: false })
    const [row] = await ask<{ is_done: boolean }>(`
      select max(batch) < (select checked_below from ledger_checkpoints)
        and max(batch) < (select max(settled_below) from ledger_seals) as is_done
      from ledger_batches`)
    return row?.is_done
  })
}
