/** Merchant programs as merchants would write them: they use the installed package and nothing of this repository. */

export const shopInJavaScript = `
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { once } from 'node:events'
import { Malipo } from '@malipo/sdk'

const required = createRequire(import.meta.url)('@malipo/sdk')
if (required.Malipo !== Malipo) throw new Error('require and import load different modules')

const { MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey, MALIPO_URL: baseUrl } = process.env
const malipo = new Malipo({ publicKey, apiKey, baseUrl })
const { secret } = await malipo.account.rotateWebhookSecret()

const [order, wage] = ['order', 'wage'].map((name) => name + '-' + process.pid + '-' + Date.now())
const ends = new Map()
let allNotified
const notified = new Promise((resolve) => (allNotified = resolve))
const on = {
  transaction_updated: ({ data }) => {
    if (data.status === 'pending' || ![order, wage].includes(data.externalReference)) return
    ends.set(data.externalReference, data.type + ' ' + data.status)
    if (ends.size === 2) allNotified()
  },
}
const server = createServer(malipo.webhooks.handler({ secret, on })).listen(0, '127.0.0.1')
await once(server, 'listening')
await malipo.account.update({ webhookUrl: 'http://127.0.0.1:' + server.address().port + '/hooks' })

const charge = await malipo.charges.mobileMoney({
  amount: '150.00', currency: 'KES', phoneNumber: '+254703456789', externalReference: order,
})
const payout = await malipo.payouts.create({
  amount: 70, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference: wage,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456788' },
})
const [paid, sent] = await Promise.all([charge, payout].map(({ transactionId }) => malipo.transactions.waitFor(transactionId)))
await notified

const stuck = order + '-stuck'
await malipo.charges.mobileMoney({ amount: 150, currency: 'KES', phoneNumber: '+254703456129', externalReference: stuck })
await malipo.sandbox.simulate({ externalReference: stuck, status: 'failed' })
const { status: simulated } = await malipo.transactions.waitFor(stuck)

server.closeAllConnections()
server.close()
const result = { charge: paid.status, payout: sent.status, reported: [ends.get(order), ends.get(wage)], simulated }
console.log(JSON.stringify({ version: process.version, ...result }))
`

export const shopInTypeScript = `
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import {
  type AcceptedPayout, ApiError, Malipo, type MobileMoneyCharge, type Status, type TransactionDetails, type WebhookEvent,
} from '@malipo/sdk'

const variable = (name: string): string => process.env[name] ?? ''
const malipo = new Malipo({
  publicKey: variable('MALIPO_PUBLIC_KEY'), apiKey: variable('MALIPO_API_KEY'), baseUrl: variable('MALIPO_URL'),
})
const { secret }: { secret: string } = await malipo.account.rotateWebhookSecret()

const reference = (name: string) => name + '-' + process.pid + '-' + Date.now()
const [order, wage] = [reference('ts-order'), reference('ts-wage')]
const ends = new Map<string, string>()
let allNotified: () => void = () => undefined
const notified = new Promise<void>((resolve) => { allNotified = resolve })
const take = ({ data }: WebhookEvent): void => {
  if (data.status === 'pending' || ![order, wage].includes(data.externalReference)) return
  ends.set(data.externalReference, data.type + ' ' + data.status)
  if (ends.size === 2) allNotified()
}
const server = createServer(malipo.webhooks.handler({ secret, seen: new Set<string>(), on: { transaction_updated: take } }))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
await malipo.account.update({ webhookUrl: 'http://127.0.0.1:' + (server.address() as AddressInfo).port + '/hooks' })

const request: MobileMoneyCharge = { amount: 150, currency: 'KES', phoneNumber: '+254703456789', externalReference: order }
const charge = await malipo.charges.mobileMoney(request)
const payout: AcceptedPayout = await malipo.payouts.create({
  amount: '70.00', currency: 'KES', country: 'KE', destination: 'MoMo', externalReference: wage,
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254703456788' },
})
const waitFor = (id: string): Promise<TransactionDetails> => malipo.transactions.waitFor(id, { timeoutMs: 30_000 })
const [paid, sent]: [Status, Status] = [(await waitFor(charge.transactionId)).status, (await waitFor(payout.transactionId)).status]
await notified

for await (const each of malipo.transactions.list({ status: 'successful' })) {
  const amount: number = each.amount
  if (amount <= 0) throw new Error('nothing was paid')
}
const refused: unknown = await malipo.transactions.get('nothing').catch((error: unknown) => error)
if (!(refused instanceof ApiError) || refused.errorCode !== 'TRANSACTION_NOT_FOUND') throw refused

// @ts-expect-error A payout needs a reference.
const wrong = () => malipo.payouts.create({ amount: 1 })
// @ts-expect-error This destination does not exist.
const nowhere = () => malipo.payouts.create({ amount: 1, externalReference: 'r', destination: 'Mars' })
if (typeof wrong !== typeof nowhere) throw new Error('never')

server.closeAllConnections()
server.close()
console.log(JSON.stringify({ charge: paid, payout: sent, reported: [ends.get(order), ends.get(wage)] }))
`

export const withoutNodeTypes = `
import { Malipo, webhooks, type WebhookEvent } from '@malipo/sdk'

export const malipo = new Malipo({ publicKey: 'pk_test_x', apiKey: 'sk_test_x', baseUrl: 'https://pay.example' })
export const read = (body: string, headers: Headers): WebhookEvent => webhooks.verify(body, headers, 'whsec_x')
export const handle = malipo.webhooks.handler({ secret: 'whsec_x', on: {} })
`
