import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { publicHost, type SimulatorControl, simulatorAccess, startSimulator } from '../dev-stack/simulator.ts'
import { until } from '../dev-stack/until.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import { attachPartitions } from '../platform/partitions.ts'
import type { Watch } from '../platform/wakeups.ts'
import { startLanes } from '../workers/lanes.ts'
import { type Malipo, testMalipo } from './malipo.ts'

/** A Malipo whose sandbox providers are the simulator. */
export interface PayingMalipo extends Malipo {
  readonly simulator: SimulatorControl
  /** Starts the providers' lanes; until then accepted payments wait. Stopped lanes have no call under way. */
  work(): Watch
  /** Advances the database's clock, for payments and timers alike. */
  later(seconds: number): Promise<void>
  /** Waits until a payment is in this state. Its provider is queried before it is due. */
  comesTo(transactionId: string, state: string): Promise<void>
  stateOf(transactionId: string): Promise<string | undefined>
}

type PayingMerchant = Pick<Awaited<ReturnType<Malipo['merchant']>>, 'call'>

export const simulatorToken = 'token-of-a-simulator'

/** Signatures of callbacks cover the host, so with another one every callback would be refused. */
const callbackHost = (publicUrl: string | undefined) =>
  publicUrl === undefined ? publicHost : { SIMULATOR_CALLBACK_HOST: new URL(publicUrl).host }

export async function payingMalipo(t: TestContext, settings: Record<string, string> = {}): Promise<PayingMalipo> {
  const lanes: Watch[] = []
  t.after(() => Promise.all(lanes.map((lane) => lane.stop()))) // Before their dependencies close.
  const access = { ...simulatorAccess(simulatorToken), ...callbackHost(settings['MALIPO_PUBLIC_URL']) }
  const simulator = await startSimulator(t, { ...access, SIMULATOR_SETTLE_MS: '20' })
  const malipo = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: simulator.url,
    MALIPO_SIMULATOR_TOKEN: simulatorToken,
    MALIPO_RATE_LIMIT_SANDBOX: '1000',
    MALIPO_RATE_LIMIT_ADDRESS: '1000',
    MALIPO_CARD_TRIES_SANDBOX: '1000',
    ...settings,
  })
  const stateOf = async (transactionId: string) => {
    const [row] = await malipo.ask<{ state: string }>('select state from transactions where id = $1', [
      readId('transaction', transactionId),
    ])
    return row?.state
  }
  return {
    ...malipo,
    simulator: simulator.control,
    work: () => {
      const started = startLanes(malipo.ctx)
      lanes.push(...started)
      return { stop: async () => void (await Promise.all(started.map((lane) => lane.stop()))) }
    },
    later: async (seconds) => {
      await malipo.ask('update clock_offset set ahead = ahead + make_interval(secs => $1)', [seconds])
      await attachPartitions(malipo.ctx.db.write)
    },
    comesTo: async (transactionId, state) => {
      const nudge = createNudge(malipo, transactionId)
      await until(`${transactionId} to be ${state}`, async () => {
        const now = await stateOf(transactionId)
        if (now === 'submitted' || now === 'unknown') await nudge()
        return now === state
      })
    },
    stateOf,
  }
}

/**
 * Has a payment queried before it is due. It hints less and less often: a response to a query that a hint overtook ends nothing, so
 * constant hints would end nothing at all.
 */
export function createNudge({ ctx }: Malipo, transactionId: string): () => Promise<void> {
  const transaction_id = readId('transaction', transactionId) ?? ''
  let [waitMs, dueAt] = [20, 0]
  return async () => {
    if (performance.now() < dueAt) return
    const observation = { kind: 'hint' } as const
    // Another result holds the payment's lock for too long on a busy machine: the hint is refused, and the next one follows.
    await ctx.resolver
      .submit({ transaction_id, attempt: undefined, cause: 'callback', observation })
      .catch((error: Error & { code?: string }) => assert.equal(error.code, '55P03', error))
    waitMs *= 2
    dueAt = performance.now() + waitMs
  }
}

let payouts = 0

/** Every payout has its own number, so that a fault can target one of them. */
const nextPhone = () => `+25471${String(payouts + 1).padStart(4, '0')}678`

/** Pays out, and returns the transaction and the provider key of its first attempt. */
export async function payOut(
  merchant: PayingMerchant,
  { amount = 100, by = 'pawapay' }: { readonly amount?: number; readonly by?: 'pawapay' | 'house' } = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const mobile = { destination: 'MoMo', payoutMethod: { accountName: 'Amina', accountNumber: nextPhone() } }
  payouts += 1
  const till = { destination: 'Till', payoutMethod: { accountName: 'Duka', accountNumber: '5432100' } }
  const { status, body } = await merchant.call('POST', '/api/b2b/fiat/payout', {
    amount,
    currency: 'KES',
    country: 'KE',
    externalReference: `payout-${process.pid}-${payouts}`,
    ...(by === 'pawapay' ? mobile : till),
  })
  assert.equal(status, 200, JSON.stringify(body))
  const id = String(body['transactionId'])
  return { id, key: providerKeyOf(readId('transaction', id) ?? '', 1) }
}

export interface WalletSums {
  readonly available: bigint
  readonly reserved: bigint
}

/** What a merchant may spend and what is reserved, in minor units, by currency over all countries. */
export async function walletsOf(malipo: Malipo, merchantId: string): Promise<ReadonlyMap<string, WalletSums>> {
  const rows = await malipo.ask<{ currency: string; available: string; reserved: string }>(
    `select currency, sum(credits_posted - debits_posted - debits_pending) as available, sum(debits_pending) as reserved
     from wallets
     where merchant_id = $1 and env = 'sandbox'
     group by currency`,
    [readId('merchant', merchantId)],
  )
  const sums = rows.map(({ currency, available, reserved }) => {
    return [currency, { available: BigInt(available), reserved: BigInt(reserved) }] as const
  })
  return new Map(sums)
}

/** What a merchant may spend and what is reserved, in minor units of KES. */
export async function walletOf(malipo: Malipo, merchantId: string): Promise<WalletSums> {
  const sums = (await walletsOf(malipo, merchantId)).get('KES')
  assert(sums)
  return sums
}

/** Quotes a pair in the sandbox from now on. Without the provider's own rates the markup is zero. */
export async function quote(
  malipo: Malipo,
  pair: string,
  buy: string,
  sell: string,
  provider: { readonly buy: string; readonly sell: string } = { buy, sell },
): Promise<void> {
  await malipo.ask(
    `insert into rates (env, base, quote, at, buy, sell, provider, provider_buy, provider_sell)
     values ('sandbox', $1, $2, record_time(), $3, $4, 'house', $5, $6)`,
    [...pair.split('/'), buy, sell, provider.buy, provider.sell],
  )
}

/** A payout with a lost response, at a provider that does not respond to queries: it stays in doubt until the test acts. */
export async function payoutInDoubt(
  malipo: PayingMalipo,
  merchant: PayingMerchant,
  { moment = 'after', amount = 100 }: { readonly moment?: 'before' | 'after'; readonly amount?: number } = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const match = { phone: nextPhone().slice(1) }
  const fault = { provider: 'pawapay', mode: `drop_${moment}_processing`, match } as const
  await malipo.simulator.setFault({ ...fault, operation: 'payout', times: 1 })
  await malipo.simulator.setFault({ provider: 'pawapay', operation: 'payout_status', mode: 'http_status' })
  const payout = await payOut(merchant, { amount })
  await malipo.comesTo(payout.id, 'unknown')
  return payout
}
