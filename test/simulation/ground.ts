import { loadConfig } from '../../packages/server/src/config.ts'
import { type Context, openContext } from '../../packages/server/src/context.ts'
import { testDatabase } from '../../packages/server/src/dev-stack/servers.ts'
import { createPlatformAccounts, ensureWallets } from '../../packages/server/src/ledger/accounts.ts'
import { type Charged, createFees, type Fees } from '../../packages/server/src/ledger/fee-rules.ts'
import { movementsOf } from '../../packages/server/src/ledger/postings.ts'
import type { FeeRule } from '../../packages/server/src/money/fees.ts'
import { makeSecrets } from '../../packages/server/src/operate/operator.ts'
import { type Owner, openDatabase, sql } from '../../packages/server/src/platform/db.ts'
import { newId, newTransactionId, showId } from '../../packages/server/src/platform/ids.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import { monthly } from '../../packages/server/src/platform/partitions.ts'
import { ask } from '../../packages/server/src/testing/malipo.ts'
import { createPoster } from '../../packages/server/src/testing/poster.ts'

/** Start of every world by the database's clock, which moves only with the schedule. */
export const startMs = Date.UTC(2030, 0, 15, 12)

/** One database, used by worlds one after another, and the parts of the service that need no schedule. */
export interface Ground {
  readonly base: Context
  /** Lines logged as errors since the last call. */
  alerts(): string[]
  /** Deletes the work that the previous world left, and sets the clock back to the start. */
  clear(): Promise<void>
  setClock(aheadMs: number): Promise<void>
  /** A merchant with this balance in a wallet, whose payouts above an amount need approval; in minor units of KES. */
  merchant(order: MerchantOrder): Promise<Owner>
  /** A person who may approve this merchant's payouts. */
  approver(owner: Owner, name: string): Promise<Approver>
  close(): Promise<void>
}

export interface Approver {
  readonly id: string
  readonly name: string
}

interface MerchantOrder {
  readonly funds: bigint
  readonly url: string
  readonly approvalAbove?: bigint
}

const partitioned = ['timers', ...monthly]

/**
 * The clock is frozen, nothing waits for a disk, rows of any time have a partition, every transition is recorded, an epoch has
 * started.
 */
const preparations = (database: string) => [
  `alter database ${database} set synchronous_commit = off`,
  `alter database ${database} set jit = off`,
  `create or replace function record_time() returns timestamptz language sql volatile parallel safe
   return to_timestamp(${startMs / 1000}) + (select ahead from clock_offset)`,
  ...partitioned.map((name) => `create table ${name}_any partition of ${name} default`),
  'grant update on clock_offset to malipo_write',
  'grant delete on timers, lanes to malipo_write',
  'create unlogged table steps (place bigint generated always as identity, id uuid, source text, target text)',
  'grant select, insert, delete on steps to malipo_write',
  `create function note_step() returns trigger language plpgsql as $$ begin
     insert into steps (id, source, target) values (old.id, old.state, new.state); return null; end $$`,
  `create trigger note_step after update on transactions for each row
   when (old.state <> new.state) execute function note_step()`,
  // As after a move to another cluster: batch numbers differ from transaction ids.
  'insert into batch_commits (batch) values (1000000000)',
  'select start_epoch()',
]

/** A slow machine is not part of any world: its real time must not end a connection or a statement. */
const patient = { connectMs: 120_000, statementTimeoutMs: 120_000 }

export async function openGround(): Promise<Ground> {
  const { superuserUrl, loginUrl, natsUrl } = await testDatabase()
  for (const statement of preparations(new URL(superuserUrl).pathname.slice(1))) await ask(superuserUrl, statement)
  const lines: string[] = []
  const variables = {
    ...makeSecrets(new Date()),
    DATABASE_URL: loginUrl,
    NATS_URL: natsUrl,
    MALIPO_CARD_TRIES_SANDBOX: '100000',
  }
  const log = createLog({ level: 'error', write: (line) => lines.push(line) })
  const opened = openContext(loadConfig(variables), {
    log,
    open: (options) => openDatabase({ ...options, ...patient }),
  })
  const { write } = opened.db
  const accounts = createPlatformAccounts(write, opened.config.cell)
  await warm(accounts)
  const base: Context = { ...opened, accounts, fees: await knownFees(opened), currencies: allCurrencies }
  const poster = createPoster(write)
  return {
    base,
    alerts: () => lines.splice(0),
    clear: async () => {
      await write.query(sql`delete from timers`)
      await write.query(sql`delete from lanes`)
      await write.query(sql`delete from steps`)
      await write.query(sql`update clock_offset set ahead = '0'`)
    },
    setClock: async (aheadMs) => {
      await write.query(sql`update clock_offset set ahead = make_interval(secs => ${aheadMs / 1000})`)
    },
    merchant: (order) => makeMerchant(base, poster, order),
    approver: (owner, name) => makeApprover(base, owner, name),
    close: opened.close,
  }
}

const currencies = [
  { currency: 'KES', country: 'KE' },
  { currency: 'XOF', country: 'CI' },
] as const

/** Every batch looks up platform accounts, and no step should be longer because it is the first. */
async function warm(accounts: Context['accounts']): Promise<void> {
  const env = 'sandbox'
  for (const { currency, country } of currencies) {
    for (const kind of ['clearing', 'suspense', 'cost', 'fees', 'treasury'] as const)
      await accounts.idOf({ env, kind, currency })
    for (const provider of ['pawapay', 'house', 'flutterwave'])
      await accounts.idOf({ env, kind: 'float', currency, country, provider })
  }
}

/** No merchant of a world has a disabled currency. */
const allCurrencies = { refuseDisabled: async () => undefined }

/** The fees of the sandbox, read once for all merchants: no world changes them. */
async function knownFees({ db }: Context): Promise<Fees> {
  const known = new Map<string, FeeRule>()
  const keyOf = ({ operation, method, currency }: Pick<Charged, 'operation' | 'method' | 'currency'>) =>
    [operation, method, currency].join(' ')
  const noMerchant = { merchant_id: '00000000-0000-0000-0000-000000000000', env: 'sandbox' } as const
  for (const operation of ['charge', 'payout'] as const)
    for (const method of ['momo', 'card', 'bank-transfer', 'bank'] as const)
      for (const { currency } of currencies) {
        const charged = { ...noMerchant, operation, method, currency }
        known.set(keyOf(charged), await createFees(db.write).ruleFor(charged))
      }
  return { ruleFor: async (charged) => known.get(keyOf(charged)) ?? { fixed: 0n, basisPoints: 0 } }
}

async function makeMerchant(
  { db, accounts, config }: Context,
  poster: ReturnType<typeof createPoster>,
  { funds, url, approvalAbove }: MerchantOrder,
): Promise<Owner> {
  const merchant_id = newId(startMs, config.cell)
  const env = 'sandbox'
  await db.write.query(sql`
    insert into merchants (id, name, email, first_name, last_name, home_country)
    values (${merchant_id}, 'Duka', 'amina@example.com', 'Amina', 'Otieno', 'KE')`)
  await db.write.query(sql`
    insert into webhook_endpoints (merchant_id, env, url, secret)
    values (${merchant_id}, ${env}, ${url}, 'sealed')`)
  if (approvalAbove !== undefined)
    await db.write.query(sql`
      insert into payout_controls (merchant_id, env, currency, approval_above)
      values (${merchant_id}, ${env}, 'KES', ${approvalAbove})`)
  const scope = { merchant_id, env, currency: 'KES', country: 'KE' } as const
  const [wallet = ''] = await db.write.batch(1000, (tx) => ensureWallets(tx, config.cell, [scope]))
  const treasury = await accounts.idOf({ env, kind: 'treasury', currency: 'KES' })
  const movements = movementsOf('wallet_funded', {
    transaction_id: newTransactionId(startMs, config.cell),
    firstNumber: 0,
    sums: { amount: funds },
    accountOf: (role) => (role === 'wallet' ? wallet : treasury),
    currencies: { wallet: 'KES', payment: 'KES' },
  })
  await poster.submit({ movements, wallets: [wallet] })
  return { merchant_id, env }
}

async function makeApprover({ db, config }: Context, { merchant_id }: Owner, name: string): Promise<Approver> {
  const id = newId(startMs, config.cell)
  await db.write.query(sql`insert into people (id, email, name) values (${id}, ${`${id}@example.com`}, ${name})`)
  await db.write.query(sql`
    insert into memberships (id, person_id, merchant_id, role, granted_by)
    values (${newId(startMs, config.cell)}, ${id}, ${merchant_id}, 'approver', 'simulation')`)
  return { id: showId('person', id), name }
}
