import type { TestContext } from 'node:test'
import { readId } from '../../packages/server/src/platform/ids.ts'
import { call } from '../../packages/server/src/testing/malipo.ts'
import type { Random } from '../support/cluster/random.ts'
import { openReceiver, type Reaction, type Receiver } from '../support/load/webhook-receiver.ts'
import { every } from './every.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { Site } from './site.ts'

/** A merchant with its own server, which fails now and then. */
export interface Merchant {
  readonly name: string
  /** Its id in the database. */
  readonly id: string
  readonly receiver: Receiver
  /** The proxy before its server. */
  readonly proxy: FaultProxy
  token(apiUrl: string): Promise<string>
  /** A refused token is not used again. */
  forgetToken(token: string): void
}

export interface Market {
  readonly merchants: readonly Merchant[]
  /** From now on every receiver accepts everything. */
  behave(): void
  stop(): Promise<void>
}

const slowMs = 300
const count = 4
const tokenWithinMs = 5000

export async function openMarket(site: Site, random: Random): Promise<Market> {
  const closers: (() => unknown)[] = []
  const t = { after: (close: () => unknown) => void closers.push(close) } as Pick<TestContext, 'after'>
  const merchants: Merchant[] = []
  for (let number = 1; number <= count; number += 1) {
    const receiver = await openReceiver(t, () => moodOf(random))
    const proxy = await startFaultProxy(() => Number(new URL(receiver.url).port), slowMs)
    merchants.push(await openMerchant(site, `duka-${number}`, receiver, proxy))
  }
  const releasing = every(3000, async () => {
    for (const { receiver } of merchants) receiver.release('reset')
  })
  return {
    merchants,
    behave: () => {
      for (const { receiver } of merchants) receiver.react = () => ({ status: 200 })
    },
    stop: async () => {
      await releasing.stop()
      for (const { proxy, receiver } of merchants) {
        receiver.release('reset')
        await proxy.close()
      }
      for (const close of closers) await close()
    },
  }
}

/** One request in twenty fails. */
function moodOf(random: Random): Reaction {
  const draw = random()
  if (draw < 0.025) return { status: random.pick([500, 503, 404]) }
  if (draw < 0.04) return 'reset'
  return draw < 0.045 ? 'held' : { status: random.pick([200, 202, 204]) }
}

async function openMerchant(site: Site, name: string, receiver: Receiver, proxy: FaultProxy): Promise<Merchant> {
  const order = { name, email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
  const { id, pair } = await site.operate(async (operator) => {
    const merchant = await operator.merchants.create(order)
    return { id: merchant.id, pair: await operator.keys.create(merchant.id, { env: 'sandbox' }) }
  })
  let known: Promise<string> | undefined
  const swap = async (apiUrl: string) => {
    const reply = await fetch(`${apiUrl}/api/b2b/auth/generate-bearer-token`, {
      method: 'POST',
      signal: AbortSignal.timeout(tokenWithinMs),
      headers: { 'api-key': pair.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ publicKey: pair.publicKey }),
    })
    const { token: text } = (await reply.json()) as { token?: string }
    if (text === undefined) throw new Error(`no token: ${reply.status}`)
    return text
  }
  const token = (apiUrl: string) => {
    known ??= swap(apiUrl).catch((error) => {
      known = undefined
      throw error
    })
    return known
  }
  const url = `http://127.0.0.1:${proxy.port}/hooks`
  const apiUrl = site.seats.api(0)
  const headers = { authorization: `Bearer ${await token(apiUrl)}` }
  const { status } = await call(apiUrl, 'PUT', '/api/sandbox/b2b/users', headers, { sandboxWebhookUrl: url })
  if (status !== 200) throw new Error(`the webhook URL of ${name} was not accepted: ${status}`)
  return {
    name,
    id: readId('merchant', id) ?? '',
    receiver,
    proxy,
    token,
    forgetToken: (refused) => {
      const held = known
      const forget = (text: string) => {
        if (text === refused && known === held) known = undefined
      }
      held?.then(forget, () => undefined) // A token that never arrived is already forgotten.
    },
  }
}
