/** Drives a cell through what merchants, people, operators, providers and workers do, so that its statements run. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { loadConfig } from '../../packages/server/src/config.ts'
import { openContext } from '../../packages/server/src/context.ts'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import {
  type ApiDocument,
  inlined,
  type Operation,
  operationsOf,
  type Parameter,
} from '../../packages/server/src/http/reference/document.ts'
import { providerKeyOf, readId, showId } from '../../packages/server/src/platform/ids.ts'
import { type ApiResponse, call } from '../../packages/server/src/testing/malipo.ts'
import { type TestPerson, testPerson } from '../../packages/server/src/testing/people.ts'
import type { Cell, CellMerchant } from '../../test/support/cluster/cell.ts'
import type { SimulatorControl } from '../../test/support/cluster/simulator-control.ts'
import { chargeBody, payoutBody } from '../../test/support/load/payments.ts'

interface Ground {
  readonly cell: Cell
  readonly simulator: SimulatorControl
}

/** The merchant, and its ended payments, to be copied. */
interface Journeys {
  readonly merchant: CellMerchant
  readonly charge: string
  readonly failedCharge: string
  readonly payout: string
  /** Requests that the product refused, to see how much of it the journeys miss. */
  readonly refused: readonly string[]
}

interface Scene extends Ground {
  /** Where the merchant's webhooks go. */
  readonly receiverUrl: string
  readonly url: string
  readonly merchant: CellMerchant
  readonly owner: TestPerson
  readonly staff: TestPerson
  readonly refused: string[]
}

export async function runJourneys(ground: Ground): Promise<Journeys> {
  const { cell, simulator } = ground
  const receiver = await openReceiver()
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const merchant = await cell.merchant()
  await cell.ask(`update webhook_endpoints set url = $1 where merchant_id = $2`, [receiverUrl, merchant.id])
  const api = await cell.start('api', 'journeys-api')
  const worker = await cell.start('worker', 'journeys-worker')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const ctx = openContext(loadConfig(cell.variables))
  try {
    const person = { ctx, url: api.url }
    const owner = await testPerson(person, { merchant: { id: merchant.shownId, roles: ['owner'] } })
    const staff = await testPerson(person, { operator: ['admin'] })
    const scene: Scene = { ...ground, receiverUrl, url: api.url, merchant, owner, staff, refused: [] }
    const paid = await pay(scene)
    await manage(scene, paid)
    await readAll(scene, paid)
    await operate(scene, paid)
    await worker.stop()
    await leaveWaiting(scene)
    await api.stop()
    return { merchant, ...paid, refused: scene.refused }
  } finally {
    await ctx.close()
    receiver.close()
  }
}

/** It accepts every webhook. */
async function openReceiver(): Promise<Server> {
  const receiver = createServer((request, response) => {
    request.resume()
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  return receiver
}

interface Paid {
  readonly charge: string
  readonly failedCharge: string
  readonly payout: string
  readonly card: string
}

/** Sends a request of the merchant and records a refusal. */
async function ask(scene: Scene, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  return noted(scene, `${method} ${path}`, await scene.merchant.call(scene.url, method, path, body))
}

function noted({ refused }: Scene, what: string, { status, body }: ApiResponse): Record<string, unknown> {
  if (status === 429) throw new Error(`${what} exceeds a rate: its statements would not run`)
  if (status >= 300) refused.push(`${status} ${what}: ${JSON.stringify(body).slice(0, 160)}`)
  return body
}

function idIn(body: Record<string, unknown>): string {
  const { transactionId } = (body['data'] ?? body) as { transactionId?: string }
  const id = readId('transaction', transactionId ?? '')
  if (id === undefined) throw new Error(`no transaction in ${JSON.stringify(body)}`)
  return id
}

const shown = (id: string) => showId('transaction', id)

async function pay(scene: Scene): Promise<Paid> {
  const { cell, simulator } = scene
  const charge = idIn(await ask(scene, 'POST', '/fiat/deposit/momo', chargeBody()))
  const failedCharge = idIn(
    await ask(scene, 'POST', '/fiat/deposit/momo', chargeBody({ phoneNumber: '+254712000039' })),
  )
  const payout = idIn(await ask(scene, 'POST', '/fiat/payout', payoutBody()))
  const failedPayout = idIn(await ask(scene, 'POST', '/fiat/payout', payoutBody({ phone: '+254712000099' })))
  const card = idIn(await ask(scene, 'POST', '/fiat/deposit/card', cardBody()))
  for (const answer of [
    { type: 'pin', value: '1234' },
    { type: 'otp', value: '123456' },
  ])
    await ask(scene, 'POST', `/fiat/deposit/${shown(card)}/authorise`, answer)
  const transfer = idIn(
    await ask(scene, 'POST', '/fiat/deposit/bank-transfer', {
      ...{ amount: 2500, currency: 'NGN', email: 'amina@example.com', externalReference: 'transfer' },
    }),
  )
  const account = await until('the account of a transfer', async () => {
    const [row] = await cell.ask<{ account: string | null }>(
      `select action->'account'->>'accountNumber' as account from transactions where id = $1`,
      [transfer],
    )
    return row?.account ?? undefined
  })
  await simulator.pay(providerKeyOf(transfer, 1), '2500.00', account)
  const payouts = Array.from({ length: 5 }, () => payoutBody())
  await ask(scene, 'POST', '/fiat/payouts/bulk', { payouts })
  for (const id of [charge, failedCharge, payout, failedPayout, transfer]) await ended(cell, id)
  const refund = { amount: 40, externalReference: 'refund', reason: 'returned goods' }
  await ended(cell, idIn(await ask(scene, 'POST', `/transactions/${shown(charge)}/refunds`, refund)))
  return { charge, failedCharge, payout, card }
}

const cardBody = () => ({
  ...{ amount: 1500, currency: 'KES', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno' },
  ...{ ipAddress: '196.201.214.1', externalReference: 'card' },
  cardDetails: { number: '5531886652142950', cvv: '123', expMonth: '09', expYear: '2032' },
})

const ended = (cell: Cell, id: string) =>
  until(`the end of ${id}`, async () => {
    const [row] = await cell.ask<{ isOver: boolean }>(
      `select t.state in ('successful', 'failed') and not exists (
         select from webhook_records where transaction_id = t.id and status = 'CREATED') as "isOver"
       from transactions t where id = $1`,
      [id],
    )
    return row?.isOver
  })

/** What a merchant and its people change. */
async function manage(scene: Scene, { payout }: Paid): Promise<void> {
  const { merchant, owner, receiverUrl } = scene
  const beneficiary = { country: 'KE', currency: 'KES', destination: 'MoMo' }
  const method = { accountName: 'Amina', accountNumber: '+254703456789' }
  const { data: account } = await ask(scene, 'POST', '/external-accounts', { ...beneficiary, payoutMethod: method })
  const accountId = String((account as { id?: string } | undefined)?.id)
  await ask(scene, 'PUT', `/external-accounts/${accountId}`, { ...beneficiary, payoutMethod: method })
  const endpoint = { url: receiverUrl, description: 'Accounting', events: ['transaction_updated'] }
  await ask(scene, 'POST', '/webhook-endpoints', endpoint)
  await ask(scene, 'PUT', '/users', { sandboxWebhookUrl: receiverUrl })
  await ask(scene, 'POST', '/fiat/payout', payoutBody({ phone: '+254712000007' })) // To both endpoints.
  const { data: webhooks } = await ask(scene, 'GET', `/webhooks?transactionId=${shown(payout)}`)
  for (const { id } of webhooks as { id: string }[]) await ask(scene, 'POST', `/webhooks/${id}/resend`)
  const quote = { externalReference: 'quote', fromCurrency: 'KES', toCurrency: 'UGX', amount: 100 }
  await ask(scene, 'POST', '/conversions', quote)
  await ask(scene, 'POST', '/fiat/payout/validate', payoutBody())
  await ask(scene, 'POST', '/utilities/account/resolve', {
    ...{ method: 'momo', accountNumber: '+254703456789', currency: 'KES', momoOperator: 'MPESA_KE' },
  })
  const root = `/dashboard/v1/merchants/${merchant.shownId}/sandbox`
  const asOwner = async (verb: string, path: string, body: object) =>
    noted(scene, `${verb} ${path}`, await owner.call(verb, `${root}${path}`, body))
  await asOwner('PUT', '/payout-controls/limits', {
    ...{ currency: 'KES', perPayout: '100000', perMerchantDay: '10000000', reason: 'a limit' },
  })
  await asOwner('PUT', '/payout-controls/approvals', { above: '5000', currency: 'KES', reason: 'two people' })
  const large = idIn(await ask(scene, 'POST', '/fiat/payout', payoutBody({ amount: 6000 })))
  await asOwner('POST', `/approvals/${shown(large)}/approve`, { reason: 'invoice checked' })
  await asOwner('POST', '/saved-views', {
    page: 'payments',
    name: 'Failed',
    filters: { status: 'failed' },
    isShared: true,
  })
  await asOwner('POST', '/search/transactions', { q: '+254712345678' })
  const cancelled = idIn(await ask(scene, 'POST', '/fiat/payout', payoutBody({ amount: 7000 })))
  await ask(scene, 'POST', `/fiat/payout/${shown(cancelled)}/cancel`, {})
}

/** Every GET of the three documents: without filters, with each filter alone, and with a week's dates. */
async function readAll(scene: Scene, paid: Paid): Promise<void> {
  const { url, merchant, owner, staff } = scene
  const values = await knownValues(scene, paid)
  const authorization = await merchant.authorization(url)
  const asMerchant = (method: string, path: string) =>
    call(url, method, path.replace('/api/b2b', '/api/sandbox/b2b'), { authorization })
  const asPerson =
    (person: TestPerson): typeof asMerchant =>
    (method, path) =>
      person.call(method, path)
  const callers = { '/openapi.json': asMerchant, '/dashboard/v1/openapi.json': asPerson(owner) }
  for (const [document, send] of Object.entries({ ...callers, '/operator/v1/openapi.json': asPerson(staff) })) {
    const operations = operationsOf(inlined((await (await fetch(url + document)).json()) as ApiDocument))
    for (const operation of operations.filter(isRead))
      for (const path of pathsOf(operation, values)) noted(scene, `GET ${path}`, await send('GET', path))
  }
}

/** A stream does not end. */
const isRead = ({ method, path }: Operation) => method === 'GET' && !path.endsWith('/stream')

function pathsOf({ path, parameters }: Operation, values: Readonly<Record<string, string>>): string[] {
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'unknown')
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const required = inQuery.filter((parameter) => parameter.required)
  const optional = inQuery.filter((parameter) => !parameter.required)
  const pairsOf = ({ name, schema = {} }: Parameter): [string, string][] => {
    const choices = [...(schema.enum ?? []), ...(schema.anyOf ?? []).flatMap((each) => each.const ?? [])].map(String)
    const known = values[name] === undefined ? choices : [values[name]]
    return (choices.length > 0 ? choices : known).map((value) => [name, value])
  }
  const always = required.flatMap((parameter) => pairsOf(parameter).slice(0, 1))
  const dates = optional.filter(({ name }) => name === 'startDate' || name === 'endDate').flatMap(pairsOf)
  const searches = [[], ...optional.flatMap(pairsOf).map((pair) => [pair]), ...(dates.length > 1 ? [dates] : [])]
  return searches.map((extra) => `${place}?${new URLSearchParams([...always, ...extra])}`)
}

async function knownValues(scene: Scene, { charge, payout }: Paid): Promise<Record<string, string>> {
  const { cell, merchant } = scene
  const one = async (kind: Parameters<typeof showId>[0], text: string) => {
    const [row] = await cell.ask<{ id: string }>(text)
    return row ? showId(kind, row.id) : 'unknown'
  }
  const [webhook] = await cell.ask<{ id: string }>(`select id from webhook_records limit 1`)
  const [ref] = await cell.ask<{ ref: string }>('select external_reference as ref from transactions where id = $1', [
    payout,
  ])
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  return {
    ...{ merchantId: merchant.shownId, merchant: merchant.shownId, env: 'sandbox', isDoubtOnly: 'false' },
    ...{ transactionId: shown(payout), payment: shown(charge), refundOf: shown(charge), limit: '10' },
    ...{ currency: 'KES', country: 'KE', status: 'SUCCESS', startDate: day(7), endDate: day(0) },
    ...{ externalReference: ref?.ref ?? '', q: '254712345678', type: 'deposit', method: 'momo', amount: '100' },
    ...{ from: 'USD', to: 'KES', bankId: '280', minAmount: '50', maxAmount: '500', zone: 'Africa/Nairobi' },
    ...{ state: 'successful', provider: 'pawapay', isWithEnded: 'true', isHistory: 'true', isHeldOnly: 'false' },
    ...{ isOpenOnly: 'false', olderThanMinutes: '1', withinSeconds: '3600', operation: 'payout', actor: 'story' },
    id: webhook ? showId('webhook', webhook.id) : 'unknown',
    account: await one('account', `select id from platform_accounts where kind = 'float' limit 1`),
    callback: await one('callback', `select id from callbacks limit 1`),
    externalAccountId: await one('external account', `select id from external_accounts limit 1`),
  }
}

/** What operators and the clock do. */
async function operate(scene: Scene, { charge }: Paid): Promise<void> {
  const { cell, merchant } = scene
  const { operator } = cell
  await operator.payments.find({ query: '+254712345678', env: 'sandbox', limit: 10 })
  await operator.ledger.show(shown(charge))
  await operator.ledger.check({ isFull: false })
  await operator.ledger.check({ isFull: true })
  await operator.audit.verify({ isFull: true })
  await operator.merchants.freeze(merchant.shownId, 'a journey')
  await operator.merchants.unfreeze(merchant.shownId, 'a journey')
  await cell.forward(3 * 86_400_000)
  await pause(12_000) // Every loop of the worker that looks every 10 seconds or more often has run.
}

/** Payments that no worker takes: claims find them when their statements are measured. */
async function leaveWaiting(scene: Scene): Promise<void> {
  const payouts = Array.from({ length: 50 }, () => payoutBody())
  await ask(scene, 'POST', '/fiat/payouts/bulk', { payouts })
}
