import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { platformBalances } from '../../../packages/server/src/ledger/deltas.ts'
import { providerKeyOf, readId } from '../../../packages/server/src/platform/ids.ts'
import { attachPartitions } from '../../../packages/server/src/platform/partitions.ts'
import {
  type ApiResponse,
  call,
  exchange,
  type Malipo,
  testMalipo,
} from '../../../packages/server/src/testing/malipo.ts'
import { startLanes } from '../../../packages/server/src/workers/lanes.ts'
import { type SimulatorControl, startControlledSimulator } from '../cluster/simulator-control.ts'

/** A payment in the database. */
interface Seen {
  readonly id: string
  readonly state: string
  readonly doubt: string
  /** Minor units as text: `adjusted` is credits and debits after the end, `suspended` is in suspense. */
  readonly adjusted: string
  readonly suspended: string
  readonly failure: { readonly code: string } | null
  readonly provider: string
  readonly sends: number
  readonly is_lost: boolean
  readonly events: number
  readonly wake_at: Date | null
}

/** The whole service in this process, except for the simulator, and a merchant with money. */
export interface Payments {
  readonly malipo: Malipo
  readonly simulator: SimulatorControl
  readonly merchantId: string
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  payOut(over?: Record<string, unknown>): Promise<string>
  charge(over?: Record<string, unknown>): Promise<string>
  seen(id: string): Promise<Seen>
  /** Waits until a payment has these values. */
  becomes(id: string, what: Partial<Record<keyof Seen, unknown>>): Promise<Seen>
  /** Starts the worker's lanes. */
  work(): { stop(): Promise<void> }
  /** Moves the clocks of the database and the simulator. */
  forward(ms: number): Promise<void>
  forwardDatabase(ms: number): Promise<void>
  /** Accounts that changed since the last call, as debits less credits, with pending amounts in parentheses. */
  booked(): Promise<Record<string, string>>
}

export const minutes = (count: number) => count * 60_000
export const keyOf = (id: string) => providerKeyOf(id, 1)

export async function testPayments(t: TestContext, settings: Record<string, string> = {}): Promise<Payments> {
  const simulator = await startControlledSimulator(t)
  const malipo = await testMalipo(t, {
    ...simulator.settings,
    MALIPO_RATE_LIMIT_SANDBOX: '100000',
    MALIPO_RATE_LIMIT_ADDRESS: '100000',
    MALIPO_CARD_TRIES_SANDBOX: '100000',
    ...settings,
  })
  await simulator.tune({ callbackBase: `${malipo.url}/callbacks/sandbox` })
  await guardFinalStates(malipo)
  await malipo.ask(`update transactions set wake_at = null where wake_at is not null`) // Left by the previous test.
  const merchant = await malipo.merchant()
  const token = String((await exchange(malipo.url, merchant)).body['token'])
  const ask: Payments['ask'] = (method, path, body, headers = {}) =>
    call(malipo.url, method, `/api/sandbox/b2b${path}`, { authorization: `Bearer ${token}`, ...headers }, body)
  const seen = async (id: string) => {
    const [row] = await malipo.ask<Seen & { readonly [column: string]: unknown }>(
      `select t.*, a.sends, a.is_lost from transactions t
       join attempts a on a.transaction_id = t.id and a.number = t.attempt where id = $1`,
      [id],
    )
    assert.ok(row, `${id} does not exist`)
    return row
  }
  const forwardDatabase = async (ms: number) => {
    await malipo.ask(`update clock_offset set ahead = ahead + make_interval(secs => $1)`, [ms / 1000])
    await attachPartitions(malipo.ctx.db.write)
  }
  return {
    malipo,
    simulator,
    merchantId: merchant.id,
    ask,
    seen,
    payOut: async (over) => idIn(await ask('POST', '/fiat/payout', payoutBody(over))),
    charge: async (over) => idIn(await ask('POST', '/fiat/deposit/momo', chargeBody(over))),
    becomes: (id, what) => becomes(seen, id, what),
    work: () => work(t, malipo),
    forward: async (ms) => {
      await simulator.advance(ms)
      await forwardDatabase(ms)
    },
    forwardDatabase,
    booked: await bookkeeper(malipo),
  }
}

const idIn = ({ status, body }: ApiResponse) => {
  const id = readId('transaction', String(body['transactionId']))
  assert.ok(status === 200 && id !== undefined, `not accepted: ${status} ${JSON.stringify(body)}`)
  return id
}

/** 100 KES to M-Pesa, with a fee of 1 KES. */
export function payoutBody(over: Record<string, unknown> = {}) {
  const { phone = '+254712345678', ...rest } = over
  return {
    amount: 100,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    payoutMethod: { accountName: 'Juma', accountNumber: phone, code: 'MPESA_KE' },
    externalReference: randomUUID(),
    ...rest,
  }
}

/** 100 KES from M-Pesa, with a fee of 1 KES. */
export function chargeBody(over: Record<string, unknown> = {}) {
  return {
    amount: 100,
    currency: 'KES',
    phoneNumber: '+254712345678',
    momoOperatorId: 'MPESA_KE',
    externalReference: randomUUID(),
    ...over,
  }
}

async function becomes(seen: Payments['seen'], id: string, what: Partial<Record<keyof Seen, unknown>>): Promise<Seen> {
  let last: Seen | undefined
  const isSo = async () => {
    last = await seen(id)
    return Object.entries(what).every(([name, value]) => last?.[name as keyof Seen] === value) && last
  }
  return until(`${id} to become ${JSON.stringify(what)}`, isSo).catch((error) => {
    throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last)}`)
  })
}

function work(t: TestContext, { ctx }: Malipo): { stop(): Promise<void> } {
  const lanes = startLanes(ctx)
  let stopped: Promise<unknown> | undefined
  const stop = async () => {
    stopped ??= Promise.all(lanes.map((lane) => lane.stop()))
    await stopped
  }
  t.after(stop)
  return { stop }
}

/** Records every transition out of a final state. */
export async function guardFinalStates({ ask }: Pick<Malipo, 'ask'>): Promise<void> {
  await ask(`create table if not exists steps_out_of_final (id uuid, source text, target text)`)
  await ask(`grant insert on steps_out_of_final to malipo_write`)
  await ask(`create or replace function note_step() returns trigger language plpgsql as $$ begin
    insert into steps_out_of_final values (old.id, old.state, new.state); return null; end $$`)
  await ask(`create or replace trigger note_step after update on transactions for each row
    when (old.state in ('successful', 'failed') and new.state <> old.state) execute function note_step()`)
}

export async function assertFinalIsFinal({ ask }: Pick<Malipo, 'ask'>): Promise<void> {
  assert.deepEqual(await ask(`select * from steps_out_of_final`), [])
}

type Sums = Readonly<Record<string, { readonly posted: bigint; readonly pending: bigint }>>

async function readSums({ ctx, ask }: Malipo): Promise<Sums> {
  const platform = (await platformBalances(ctx.db.write)).map((row) => [
    [row.kind, row.provider, row.currency].filter((word) => word !== '').join(' '),
    { posted: row.debits_posted - row.credits_posted, pending: row.debits_pending - row.credits_pending },
  ])
  const wallets = await ask<{ name: string; posted: string; pending: string }>(`
    select 'wallet ' || currency as name, sum(debits_posted - credits_posted) as posted,
      sum(debits_pending - credits_pending) as pending
    from wallets where env = 'sandbox' group by currency`)
  const owned = wallets.map(({ name, posted, pending }) => [name, { posted: BigInt(posted), pending: BigInt(pending) }])
  return Object.fromEntries([...platform, ...owned]) as Sums
}

async function bookkeeper(malipo: Malipo): Promise<Payments['booked']> {
  let last = await readSums(malipo)
  return async () => {
    const now = await readSums(malipo)
    const changes = Object.entries(now).flatMap(([name, { posted, pending }]) => {
      const before = last[name] ?? { posted: 0n, pending: 0n }
      const change = { posted: posted - before.posted, pending: pending - before.pending }
      const text = change.pending === 0n ? `${change.posted}` : `${change.posted} (${change.pending})`
      return text === '0' ? [] : [[name, text] as const]
    })
    last = now
    return Object.fromEntries(changes)
  }
}
