import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { archivedMonths } from '../ledger/archive/archived-months.ts'
import { type Manifest, readManifest } from '../ledger/archive/manifest.ts'
import { type ArchiveLine, columns, createContents } from '../ledger/archive/month-file.ts'
import { openArchive } from '../ledger/archive/open-archive.ts'
import { checkLedger } from '../ledger/check/check.ts'
import { sql } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { type ArchivingScene, archivingScene } from '../testing/archiving.ts'

interface Tampering {
  readonly name: string
  /** Returns what undoes it, except for the files, which are copied before and back. */
  readonly act: () => Promise<readonly string[]>
  readonly finds: RegExp
  /** Also an ordinary check, without the files, finds it when it is the month's turn. */
  readonly isFoundByTurn?: true
  /** No ordinary check finds it: the day was compared when it was new. */
  readonly isFoundByFullCheckOnly?: true
}

const change = (line: ArchiveLine, column: keyof typeof columns, to: (value: string) => string) =>
  line
    .split('\t')
    .map((value, index) => (index === columns[column] ? to(value) : value))
    .join('\t')

/** Of the first day with a charge: its sums are of what was received, and of the fee. */
async function changeSums({ malipo }: ArchivingScene, wallet: string, which: '' | 'and is_credit') {
  const place = `wallet_id = '${wallet}' and event = 'charge_successful' ${which}
    and day = (select min(day) from wallet_day_sums where wallet_id = '${wallet}' and event = 'charge_successful')`
  const changed = await malipo.ask(`update wallet_day_sums set amount = amount + 9 where ${place} returning day`)
  assert.equal(changed.length, which === '' ? 2 : 1)
  return [`update wallet_day_sums set amount = amount - 9 where ${place}`]
}

async function deleteSums({ malipo }: ArchivingScene, wallet: string) {
  const deleted = await malipo.ask<{ undo: string }>(
    `delete from wallet_day_sums s where wallet_id = $1
     returning format('insert into wallet_day_sums select * from jsonb_populate_record(null::wallet_day_sums, %L)', to_jsonb(s)) as undo`,
    [wallet],
  )
  assert.ok(deleted.length > 0)
  return deleted.map(({ undo }) => undo)
}

/** Rewrites the first month's file, and makes the manifest and the database's record match: a superuser with time can. */
async function rewrite({ malipo, folder }: ArchivingScene, edit: (lines: ArchiveLine[]) => ArchiveLine[]) {
  const manifest = await readManifest(folder, 0)
  const [listed = assert.fail(), ...others] = manifest.months
  const lines = gunzipSync(readFileSync(join(folder, listed.file)))
    .toString()
    .trimEnd()
    .split('\n')
  const edited = edit(lines)
  const contents = createContents()
  contents.add(edited)
  const file = gzipSync(`${edited.join('\n')}\n`)
  const sha256 = createHash('sha256').update(file).digest('hex')
  const name = `transfers-${listed.month}-${sha256.slice(0, 16)}.tsv.gz`
  writeFileSync(join(folder, name), file)
  writeManifest(folder, { ...manifest, months: [{ ...listed, ...contents.sum(), file: name, sha256 }, ...others] })
  const [recorded = assert.fail()] = await malipo.ask<{ undo: string }>(
    `select format('update archived_months set transfers = %s, file_hash = %L where month = %L', transfers, file_hash, month) as undo
     from archived_months where month = ($1 || '-01')::date`,
    [listed.month],
  )
  await malipo.ask(
    `update archived_months set transfers = $2, file_hash = decode($3, 'hex') where month = ($1 || '-01')::date`,
    [listed.month, edited.length, sha256],
  )
  return [recorded.undo]
}

const writeManifest = (folder: string, manifest: Manifest) =>
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))

function tamperings(scene: ArchivingScene, wallet: string): Tampering[] {
  const { malipo, folder, charge, refund } = scene
  const id = readId('transaction', charge)
  const file = (over: (manifest: Manifest) => Manifest) => async () => {
    writeManifest(folder, over(await readManifest(folder, 0)))
    return []
  }
  const first = async () => join(folder, (await readManifest(folder, 0)).months[0]?.file ?? '')
  const rewritten = (name: string, edit: (lines: ArchiveLine[]) => ArchiveLine[], finds: RegExp): Tampering => ({
    name: `${name}, with manifest and record`,
    act: () => rewrite(scene, edit),
    finds,
  })
  const ofBatch = /transfers of a batch differ/
  const invented = (line: ArchiveLine) =>
    change(
      change(line, 'number', () => '77'),
      'position',
      (place) => `${Number(place) + 90}`,
    )
  return [
    rewritten('an invented transfer in an archived batch', (lines) => [...lines, invented(lines[0] ?? '')], ofBatch),
    rewritten('a transfer twice', (lines) => [...lines, lines[0] ?? ''], ofBatch),
    rewritten(
      'a missing batch',
      (lines) => lines.filter((line) => line.split('\t')[columns.batch] !== lines[0]?.split('\t')[columns.batch]),
      ofBatch,
    ),
    rewritten(
      'a changed amount',
      ([line = '', ...others]) => [change(line, 'amount', (sum) => `${sum}0`), ...others],
      ofBatch,
    ),
    rewritten(
      'a changed event',
      ([line = '', ...others]) => [change(line, 'event', () => 'other'), ...others],
      ofBatch,
    ),
    rewritten(
      'a transfer of another batch',
      ([line = '', ...others]) => [change(line, 'batch', () => '2147483648'), ...others],
      /seal .* is missing or differs/,
    ),
    {
      name: 'a file that is cut off',
      act: async () => {
        const path = await first()
        writeFileSync(path, readFileSync(path).subarray(0, -20))
        return []
      },
      finds: /was changed: its SHA-256/,
    },
    {
      name: 'a manifest that names a path outside the folder',
      act: file((manifest) => ({
        ...manifest,
        months: manifest.months.map((each) => ({ ...each, file: '../../etc/passwd' })),
      })),
      finds: /the manifest in .* was changed: it has a wrong file name for/,
    },
    {
      name: 'a manifest with another sum',
      act: file((manifest) => ({
        ...manifest,
        months: manifest.months.map((each) => ({ ...each, amounts: { KES: '1' } })),
      })),
      finds: /states other contents/,
    },
    {
      name: 'a manifest with another seal',
      act: file((manifest) => ({
        ...manifest,
        months: manifest.months.map((each) => ({ ...each, seal: { ...each.seal, hash: '00' } })),
      })),
      finds: /seal .* is missing or differs/,
    },
    {
      name: 'an archive of another cell',
      act: file((manifest) => ({ ...manifest, cell: 3 })),
      finds: /of cell 3, and this is cell 0/,
    },
    {
      name: 'a changed delta of an archived batch',
      act: async () => {
        await malipo.ask(`update account_deltas set credits_posted = credits_posted + 5
          where (batch, account_id) = (select batch, account_id from account_deltas order by 1, 2 limit 1)`)
        return [
          `update account_deltas set credits_posted = credits_posted - 5
           where (batch, account_id) = (select batch, account_id from account_deltas order by 1, 2 limit 1)`,
        ]
      },
      finds: /the deltas of a batch differ/,
    },
    {
      name: 'a changed payment of an archived month',
      act: async () => {
        await malipo.ask(
          'update transactions set amount = amount + 7, wallet_amount = wallet_amount + 7 where id = $1',
          [id],
        )
        return [`update transactions set amount = amount - 7, wallet_amount = wallet_amount - 7 where id = '${id}'`]
      },
      finds: /the postings of a payment contradict its state/,
    },
    {
      name: 'a transfer added to an archived batch in the database',
      act: async () => {
        await malipo.ask(
          `insert into transfers
           select $1, 78, phase, kind, event, debit_account, credit_account, 100000000, currency, null, null, null, b.batch, 900
           from transfers t cross join (select min(batch) as batch from ledger_batches) b
           where kind = 'transfer' and wallet_id is null limit 1`,
          [id],
        )
        return [`delete from transfers where transaction_id = '${id}' and number = 78`]
      },
      finds: /retained transfers of the archived month [\d-]+ were changed/,
      isFoundByTurn: true,
    },
    {
      name: 'a retained transfer that is deleted',
      act: async () => {
        await malipo.ask('create table deleted as select * from transfers where transaction_id = $1', [
          readId('transaction', refund),
        ])
        await malipo.ask('delete from transfers where transaction_id = $1', [readId('transaction', refund)])
        return ['insert into transfers select * from deleted', 'drop table deleted']
      },
      finds: /retained transfers of the archived month [\d-]+ were changed/,
      isFoundByTurn: true,
    },
    {
      name: 'a sum of an archived day that is too high',
      act: () => changeSums(scene, wallet, 'and is_credit'),
      finds: /the sums of the days of wallet/,
      isFoundByFullCheckOnly: true,
    },
    {
      name: 'two sums of an archived day that are too high and cancel each other out',
      act: () => changeSums(scene, wallet, ''),
      finds: /the sums of a day differ from the lines/,
      isFoundByFullCheckOnly: true,
    },
    {
      name: 'all sums of a wallet that are deleted',
      act: () => deleteSums(scene, wallet),
      finds: /archived lines of a wallet are in no sums/,
      isFoundByFullCheckOnly: true,
    },
    {
      name: 'a record that is removed',
      act: async () => {
        await malipo.ask('create table removed as select * from archived_months')
        await malipo.ask('delete from archived_months where month = (select min(month) from archived_months)')
        return [
          `insert into archived_months (month, transfers, file_hash, below, retained_transfers, retained_hash, at)
           select month, transfers, file_hash, below, retained_transfers, retained_hash, at from removed
           on conflict do nothing`,
          'drop table removed',
        ]
      },
      finds: ofBatch,
    },
  ]
}

/** As many ordinary checks as archived months compare each month once; the first that finds the change fails. */
async function checkInTurn({ malipo }: ArchivingScene): Promise<void> {
  for (const _ of await archivedMonths(malipo.ctx.db.write)) await malipo.operator.ledger.check({ isFull: false })
}

async function assertFound(t: TestContext, scene: ArchivingScene, tampering: Tampering): Promise<void> {
  const { malipo, folder } = scene
  await t.test(`a full check finds ${tampering.name}`, async () => {
    const kept = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    const undo = await tampering.act()
    await assert.rejects(malipo.operator.ledger.check({ isFull: true, archive: folder }), tampering.finds)
    if (tampering.isFoundByTurn) await assert.rejects(checkInTurn(scene), tampering.finds)
    if (tampering.isFoundByFullCheckOnly) await checkInTurn(scene)
    for (const statement of undo) await malipo.ask(statement)
    for (const [name, content] of kept) writeFileSync(join(folder, name), content)
  })
}

test('a full check with the archive finds every change of files and tables', async (t) => {
  const scene = await archivingScene(t)
  await scene.archive()
  const { malipo, folder, merchant } = scene
  const [wallet = assert.fail()] = await malipo.ask<{ id: string }>(
    `select id from wallets where currency = 'KES' and env = 'sandbox' and merchant_id = $1`,
    [readId('merchant', merchant.id)],
  )
  const clean = () => malipo.operator.ledger.check({ isFull: true, archive: folder })
  await clean()

  for (const tampering of tamperings(scene, wallet.id)) await assertFound(t, scene, tampering)

  await clean()

  await t.test(
    'a check whose connection breaks fails, instead of continuing without the archived transfers',
    async () => {
      const session = await malipo.ctx.db.openSession()
      await openArchive(session, { folder, cell: 0, months: await archivedMonths(session) })
      const [{ pid } = assert.fail()] = await session.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await malipo.ask('select pg_terminate_backend($1)', [pid])

      const check = checkLedger(session, { isFull: true, hasArchive: true, sealLines: [] })

      await assert.rejects(check, (error: Error) => /terminat|closed|not queryable/i.test(error.message))
    },
  )
})
