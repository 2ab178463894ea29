import { createSecretKey } from 'node:crypto'
import { until } from '../packages/server/src/dev-stack/until.ts'
import {
  type Counterparty,
  openCounterparty,
  sealCounterparty,
} from '../packages/server/src/payments/model/counterparty.ts'
import { counterpartyLookups, plainHash } from '../packages/server/src/payments/model/lookups.ts'
import { providerKeyOf, readId } from '../packages/server/src/platform/ids.ts'
import { monthly } from '../packages/server/src/platform/partitions.ts'
import { createVault, type Vault } from '../packages/server/src/platform/seal.ts'
import type { Cell, CellMerchant } from '../test/support/cluster/cell.ts'
import { olderMonths } from '../test/support/load/older-months.ts'
import { markets } from '../tools/demo/markets.ts'
import {
  batchesBelow,
  type Copy,
  copiedId,
  copyStories,
  createCopies,
  insertCopies,
  readSample,
  type Sample,
  type Story,
} from './copy-payments.ts'
import { dropIndexes } from './filling.ts'
import type { Site } from './site.ts'

const chunk = 50_000
const days = 30
const doubts = 40
const prompts = 60
const auditEntries = 20_000
const { firstNames, lastNames } = markets.kenya

export const nameOf = (n: number) =>
  `${firstNames[n % firstNames.length]} ${lastNames[Math.floor(n / 10) % lastNames.length]}`
/** Each number pays about five times. */
export const phoneOf = (n: number, payments: number) => `+25471${String(n % Math.ceil(payments / 5)).padStart(7, '0')}`

/** Makes payments of every kind through the engine: some that end, to be copied, and some that stay open. */
export async function makePayments(site: Site, merchant: CellMerchant, url: string): Promise<Story[]> {
  const stories = await makeStories(site, merchant, url)
  await leaveOpen(site, merchant, url)
  return stories
}

/** Numbers of batches leave room for those of copies. Before anything is written. */
export async function prepareBatches({ ask }: Cell): Promise<void> {
  await ask(`update batch_epochs set batch_offset = ${batchesBelow}`)
  await ask(`update relays set relayed_below = ${batchesBelow}`)
  await ask(`update delta_folds set folded_below = ${batchesBelow}`)
}

async function makeStories({ cell, simulator }: Site, merchant: CellMerchant, url: string): Promise<Story[]> {
  let reference = 0
  const send = async (path: string, body: object): Promise<string> => {
    reference += 1
    const sent = { currency: 'KES', externalReference: `story-${reference}`, ...body }
    const { status, body: received } = await merchant.call(url, 'POST', path, sent)
    const { transactionId, data } = received as { transactionId?: string; data?: { transactionId: string } }
    const id = readId('transaction', transactionId ?? data?.transactionId ?? '')
    if (status !== 200 || id === undefined) throw new Error(`${path}: ${status} ${JSON.stringify(received)}`)
    return id
  }
  const ended = (id: string) =>
    until(`the end of ${id}`, async () => {
      const [row] = await cell.ask<{ isOver: boolean }>(
        `select t.state in ('successful', 'failed') and not exists (
           select from webhook_records where transaction_id = t.id and status = 'CREATED') as "isOver"
         from transactions t where id = $1`,
        [id],
      )
      return row?.isOver
    })
  const charge = (phoneNumber: string) => send('/fiat/deposit/momo', { amount: 100, phoneNumber })
  const payOut = (accountNumber: string) =>
    send('/fiat/payout', {
      ...{ amount: 100, country: 'KE', destination: 'MoMo' },
      payoutMethod: { accountName: 'Amina Otieno', accountNumber },
    })
  const story = async (share: number, ...ids: string[]): Promise<Story> => {
    for (const id of ids) await ended(id)
    return { ids, share }
  }
  const transferred = async () => {
    const id = await send('/fiat/deposit/bank-transfer', { amount: 100, email: 'amina@example.com' })
    const [opened] = await cell.ask<{ account: string }>(
      `select action->'account'->>'accountNumber' as account from transactions where id = $1`,
      [id],
    )
    await simulator.pay(providerKeyOf(id, 1), '100', opened?.account ?? '')
    return id
  }
  const refunded = async () => {
    const id = await charge('+254712000005')
    await ended(id)
    const shown = `txn_${id.replaceAll('-', '')}`
    return [id, await send(`/transactions/${shown}/refunds`, { currency: undefined, amount: 100 })]
  }
  return [
    await story(60, await charge('+254712000001')),
    await story(10, await charge('+254712000039')),
    await story(5, await transferred()),
    await story(15, await payOut('+254712000003')),
    await story(5, await payOut('+254712000099')),
    await story(5, ...(await refunded())),
  ]
}

/** Prompts without an answer, and payouts in doubt. */
async function leaveOpen({ cell, simulator }: Site, merchant: CellMerchant, url: string): Promise<void> {
  for (let n = 0; n < prompts; n += 1) {
    const phoneNumber = `+2547121${String(n).padStart(2, '0')}129`
    const order = { amount: 250 + n, currency: 'KES', phoneNumber, externalReference: `prompt-${n}` }
    await merchant.call(url, 'POST', '/fiat/deposit/momo', order)
  }
  await simulator.fault({ operation: 'payout', mode: 'drop_after_processing' })
  await simulator.fault({ operation: 'payout_status', mode: 'http_status' })
  for (let n = 0; n < doubts; n += 1)
    await merchant.call(url, 'POST', '/fiat/payout', {
      ...{ amount: 500 + n, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference: `doubt-${n}` },
      payoutMethod: { accountName: nameOf(n), accountNumber: `+2547122${String(n).padStart(2, '0')}678` },
    })
  // Malipo routes the rest to another provider when it finds that this one does not respond.
  await until('payouts in doubt', async () => {
    const [row] = await cell.ask<{ open: number; unknown: number }>(
      `select count(*) filter (where state <> 'unknown' and state <> 'successful')::int as open,
         count(*) filter (where state = 'unknown')::int as unknown
       from transactions where external_reference like 'doubt-%'`,
    )
    return row?.open === 0 && row.unknown > 0
  })
}

/** The cell's own keys, so that its processes open what is sealed here. */
export function vaultOf({ secrets }: Pick<Cell, 'secrets'>): Vault {
  const [id = '', , key = ''] = String(secrets['MALIPO_SECRET_KEYS']).split(':')
  return createVault([{ id, version: 2, key: createSecretKey(Buffer.from(key, 'base64url')) }])
}

/** The payer or payee of a copy, in the form of the sample's. */
function counterpartyOf(sample: Counterparty, phone: string, name: string): Counterparty {
  if (sample.role === 'payer') return { ...sample, phone }
  if (sample.role === 'payee' && sample.to.kind === 'momo') return { role: 'payee', to: { ...sample.to, phone, name } }
  return sample
}

/** Copies the stories over a month. Returns how many payments there are. */
export async function copyAll(
  cell: Cell,
  { id: merchant }: CellMerchant,
  stories: readonly Story[],
  payments: number,
): Promise<number> {
  const { ask } = cell
  const vault = vaultOf(cell)
  const samples: Sample[] = []
  for (const story of stories) samples.push(await readSample(ask, story))
  const parties = await Promise.all(samples.map((sample) => partiesOf(ask, vault, sample)))
  const known = { vault, merchant, samples, parties, payments }
  const indexes = await prepareTables(ask)
  const wheel = stories.flatMap(({ share }, story) => Array.from({ length: share }, () => story))
  const each = wheel.reduce((sum, story) => sum + (stories[story]?.ids.length ?? 0), 0) / wheel.length
  const count = Math.ceil(payments / each)
  const endMs = Date.now() - 60_000
  let opening = 0n
  for (let start = 0; start < count; start += chunk) {
    const copies = Array.from({ length: Math.min(chunk, count - start) }, (_, index) => {
      const n = start + index
      // 37 and 100 have no common factor, so that the kinds alternate.
      const story = wheel[(n * 37) % wheel.length] ?? 0
      return copyOf(known, { n, story, atMs: Math.floor(endMs - (days * 86_400_000 * (count - n)) / count) })
    })
    const openings = copies.map(({ story, times }) => {
      const before = opening
      opening += (samples[story]?.net ?? 0n) * BigInt(times)
      return before
    })
    await insertCopies(ask, copies, openings)
    await copyStories(ask, samples)
    await insertLookups(ask, known, copies)
  }
  for (const index of indexes) await ask(index)
  await finish(ask, merchant, opening)
  const [row] = await ask<{ count: number }>('select count(*)::int from transactions')
  return row?.count ?? 0
}

/** The months and days of the copies, and the tables without indexes. Returns what makes these again. */
async function prepareTables(ask: Cell['ask']): Promise<string[]> {
  for (const parent of monthly) await ask(olderMonths(parent, 2))
  for (let ago = 1; ago <= 8; ago += 1)
    await ask(`do $$ declare day date := (now() at time zone 'UTC')::date - ${ago}; begin
      if to_regclass(request_log_day(day)) is null then
        execute format('create table %I partition of request_log for values from (%L) to (%L)', request_log_day(day),
          id_at(day::timestamp at time zone 'UTC'), id_at((day + 1)::timestamp at time zone 'UTC'));
      end if; end $$`)
  await createCopies(ask)
  return dropIndexes(ask, ['transactions', 'transfers', 'events', 'webhook_records', 'request_log'], {
    table: 'merchant_lookups',
    key: 'merchant_id, env, hash, transaction_id',
  })
}

function copyOf(
  { vault, samples, parties, payments }: Known,
  { n, story, atMs }: Pick<Copy, 'n' | 'story' | 'atMs'>,
): Copy {
  const [sample, name, phone] = [samples[story], nameOf(n), phoneOf(n, payments)]
  if (!sample) throw new Error('there is no such story')
  const sealed = (parties[story] ?? []).map((party, place) =>
    sealCounterparty(vault, copiedId({ n, atMs }, sample, sample.ids[place] ?? ''), counterpartyOf(party, phone, name)),
  )
  return { n, story, atMs, times: 1 + ((n * 7919) % 139), sealed, name }
}

async function partiesOf(ask: Cell['ask'], vault: Vault, { ids }: Sample): Promise<Counterparty[]> {
  const rows = await ask<{ id: string; counterparty: string }>(
    'select id, counterparty from transactions where id = any($1::uuid[]) order by array_position($1::uuid[], id)',
    [ids],
  )
  return rows.map((row) => openCounterparty(vault, row))
}

interface Known {
  readonly vault: Vault
  readonly merchant: string
  readonly samples: readonly Sample[]
  readonly parties: readonly (readonly Counterparty[])[]
  readonly payments: number
}

async function insertLookups(
  ask: Cell['ask'],
  { vault, merchant, samples, parties, payments }: Known,
  copies: readonly Copy[],
): Promise<void> {
  const found = copies.flatMap((copy) =>
    (parties[copy.story] ?? []).flatMap((party, place) => {
      const sample = samples[copy.story]
      if (!sample) return []
      const id = copiedId(copy, sample, sample.ids[place] ?? '')
      const receipt = `MP${copy.n.toString(16).toUpperCase()}${place}`
      const reference = `order-${copy.n}${place > 0 ? '-refund' : ''}`
      const own = counterpartyLookups(vault, id, counterpartyOf(party, phoneOf(copy.n, payments), copy.name))
      return [
        ...own.map(({ hash, isOfName = false }) => ({ id, hash, isMerchants: true, isStaffs: !isOfName })),
        { id, hash: plainHash('receipt', receipt), isMerchants: true, isStaffs: true },
        { id, hash: plainHash('reference', reference), isMerchants: false, isStaffs: true },
      ]
    }),
  )
  const arrays = (some: typeof found) => [some.map(({ id }) => id), some.map(({ hash }) => String(hash))]
  await ask(
    `insert into merchant_lookups (merchant_id, env, hash, transaction_id)
     select $1, 'sandbox', hash, id from unnest($2::uuid[], $3::bigint[]) as l(id, hash)`,
    [merchant, ...arrays(found.filter(({ isMerchants }) => isMerchants))],
  )
  await ask(
    `insert into payment_lookups (hash, transaction_id) select hash, id from unnest($1::uuid[], $2::bigint[]) as l(id, hash)`,
    arrays(found.filter(({ isStaffs }) => isStaffs)),
  )
}

/** Balances, sums of batches, feeds, and a trail of audit entries. */
async function finish(ask: Cell['ask'], merchant: string, added: bigint): Promise<void> {
  // The lines of the engine follow those of the copies.
  await ask(`update transfers set balance = balance + ${added} where batch > ${batchesBelow}
    and wallet_id = (select id from wallets where merchant_id = '${merchant}' and env = 'sandbox' and currency = 'KES')`)
  await ask(`
    create unlogged table copied_sums as
    select t.batch, e.account_id, sum(e.debits_pending)::bigint as debits_pending, sum(e.debits_posted)::bigint as debits_posted,
      sum(e.credits_pending)::bigint as credits_pending, sum(e.credits_posted)::bigint as credits_posted, count(*) as transfers
    from transfers t cross join lateral effects_of(t) e
    where t.batch < ${batchesBelow}
    group by 1, 2`)
  for (const table of ['wallets', 'platform_accounts'])
    await ask(`
      update ${table} a set debits_pending = a.debits_pending + s.debits_pending,
        debits_posted = a.debits_posted + s.debits_posted, credits_pending = a.credits_pending + s.credits_pending,
        credits_posted = a.credits_posted + s.credits_posted
      from (
        select account_id, sum(debits_pending) as debits_pending, sum(debits_posted) as debits_posted,
          sum(credits_pending) as credits_pending, sum(credits_posted) as credits_posted
        from copied_sums group by 1
      ) s
      where s.account_id = a.id`)
  await ask(`
    insert into account_deltas (batch, account_id, debits_pending, debits_posted, credits_pending, credits_posted)
    select s.batch, s.account_id, s.debits_pending, s.debits_posted, s.credits_pending, s.credits_posted
    from copied_sums s join platform_accounts a on a.id = s.account_id`)
  await ask(`
    insert into ledger_batches (writer, number, batch, at, transfers, previous_hash, content_hash, hash)
    select '${merchant}', row_number() over (order by batch), batch, max(at), count(*), '', '', ''
    from (
      select batch, ('x' || substr(replace(transaction_id::text, '-', ''), 1, 12))::bit(48)::bigint * 1000 as at
      from transfers where batch < ${batchesBelow}
    ) t
    group by batch`)
  await ask(`update events e set feed_number = e.feed_number + (select max(feed_number) from events) where batch > ${batchesBelow}
    and feed_number is not null`)
  await ask(`update feed_counters set last = (select max(feed_number) from events) where merchant_id = $1`, [merchant])
  await ask(`
    insert into audit_entries (id, actor, actor_kind, actor_name, action, merchant_id, env, subject, detail, reason)
    select copied_id(extract(epoch from now())::bigint * 1000 - n * 1000, 0, n), 'person_' || n % 20, 'person', 'Wanjiru Kamau',
      case n % 3 when 0 then 'session.opened' when 1 then 'payout.approved' else 'webhook.resent' end, '${merchant}', 'sandbox',
      'txn_' || n, '{}', 'invoice checked'
    from generate_series(1, ${auditEntries}) n`)
  await ask(`vacuum (analyze)`)
}
