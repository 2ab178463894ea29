import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { startDeliveries } from '../workers/deliveries.ts'
import { type ChargingMalipo, chargingMalipo } from './charging.ts'
import { type Inbox, openInbox } from './inbox.ts'
import type { ApiResponse } from './malipo.ts'

/** A transaction as an integrator reads it. */
interface ReadTransaction {
  readonly transactionId: string
  readonly status: string
  readonly stage: string
  readonly failureReason?: { readonly failureCode: string }
  readonly timeline: readonly { readonly stage: string; readonly message: string }[]
  readonly explanation: { readonly sentence: string; readonly next: string | null; readonly by: string | null }
  readonly virtualAccount?: { readonly expiresAt: string }
}

/** A webhook as it arrived. */
interface Hook {
  readonly id: string
  readonly body: string
  readonly sequence: number
  readonly status: string
  readonly transactionId: string
}

/** A merchant that tests against the sandbox, with its own endpoint. */
export interface Integrator {
  readonly id: string
  readonly inbox: Inbox
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  /** Starts a payment with a scenario, and returns its id. */
  runScenario(scenario: string, path: string, body: object, headers?: Record<string, string>): Promise<string>
  read(id: string): Promise<ReadTransaction>
  becomes(id: string, what: string, is: (transaction: ReadTransaction) => boolean): Promise<ReadTransaction>
  ends(id: string): Promise<ReadTransaction>
  advance(seconds: number): Promise<{ readonly payments: number; readonly webhooks: number }>
  /** The webhooks of one payment, in order of arrival. */
  hooksOf(id: string): readonly Hook[]
}

export interface IntegratingMalipo extends ChargingMalipo {
  integrator(): Promise<Integrator>
  /** Throws when the books differ by a single unit. */
  booksAgree(): Promise<void>
}

/** A running Malipo that also delivers webhooks. */
export async function integratingMalipo(t: TestContext): Promise<IntegratingMalipo> {
  const malipo = await chargingMalipo(t, { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' })
  await malipo.ask(`update webhook_endpoints set next_due = null, url = ''`) // Left over from the previous test.
  const deliveries = startDeliveries(malipo.ctx)
  t.after(() => deliveries.stop())
  return {
    ...malipo,
    integrator: () => openIntegrator(t, malipo),
    booksAgree: async () => {
      const { suspense } = await malipo.operator.ledger.check({ isFull: true })
      assert.deepEqual(suspense, [])
    },
  }
}

async function openIntegrator(t: TestContext, malipo: ChargingMalipo): Promise<Integrator> {
  const inbox = await openInbox()
  t.after(() => inbox.close())
  const merchant = await malipo.merchant()
  const authorization = `Bearer ${await merchant.token()}`
  const call: Integrator['call'] = (method, path, body, headers = {}) =>
    malipo.call(method, `/api/sandbox/b2b${path}`, { authorization, ...headers }, body)
  const read = async (id: string) => (await call('GET', `/transactions/${id}`)).body['data'] as ReadTransaction
  const becomes: Integrator['becomes'] = (id, what, is) =>
    until(`${id} ${what}`, async () => {
      const transaction = await read(id)
      return is(transaction) && transaction
    })
  await call('PUT', '/users', { sandboxWebhookUrl: `${inbox.url}/hooks` })
  return {
    id: merchant.id,
    inbox,
    call,
    read,
    becomes,
    runScenario: async (scenario, path, body, headers = {}) => {
      const response = await call('POST', path, body, { 'x-sandbox-scenario': scenario, ...headers })
      assert.equal(response.status, 200, JSON.stringify(response.body))
      const { transactionId, data } = response.body as { transactionId?: string; data?: { transactionId: string } }
      return transactionId ?? data?.transactionId ?? ''
    },
    ends: (id) => becomes(id, 'to end', ({ status }) => status !== 'PENDING'),
    advance: async (seconds) => {
      const { status, body } = await call('POST', '/utilities/clock/advance', { seconds })
      assert.equal(status, 200, JSON.stringify(body))
      return body['data'] as { payments: number; webhooks: number }
    },
    hooksOf: (id) => inbox.received.map(readHook).filter(({ transactionId }) => transactionId === id),
  }
}

function readHook({ headers, body }: Inbox['received'][number]): Hook {
  const text = body.toString()
  const { sequence, data } = JSON.parse(text) as {
    sequence: number
    data: { transactionId: string; status: string }
  }
  return { id: headers['webhook-id'] ?? '', body: text, sequence, ...data }
}
