/** How the month starts, and what it leaves for people to do. */
import { payoutBody } from './activities.ts'
import { amountIn, type Market, markets, type Person, personIn } from './markets.ts'
import { approvalAbove } from './plan.ts'
import { keyOf } from './shop.ts'
import type { Stage } from './stage.ts'

export async function setUpShop({ shop, receiver, chance }: Stage): Promise<void> {
  await shop.send('PUT', '/users', { sandboxWebhookUrl: `${receiver.url}/shop` })
  await shop.send('POST', '/webhook-endpoints', {
    ...{ url: `${receiver.url}/accounting`, description: 'Accounting', events: ['transaction_updated'] },
  })
  const rule = { above: String(approvalAbove), currency: 'KES', reason: 'two people for large payouts' }
  await shop.asPerson('owner', 'PUT', '/payout-controls/approvals', rule)
  for (const market of [markets.kenya, markets.kenya, markets.kenya, markets.uganda, markets.ghana, markets.rwanda])
    await addBeneficiary(shop, market, personIn(market, chance))
}

async function addBeneficiary(shop: Stage['shop'], market: Market, person: Person): Promise<void> {
  const { country, currency } = market
  const { firstName, lastName, phone: phoneNumber } = person
  const payload = { firstName, lastName, phoneNumber, destination: 'MoMo' }
  await shop.send('POST', '/external-accounts', { country, currency, payload })
}

/** In the last half hour: a transfer paid short, large payouts, payments in doubt. */
export async function leaveOpen(stage: Stage): Promise<void> {
  await underpay(stage)
  for (const [index, amount] of [64_000, 120_000, 87_500].entries())
    await payLarge(stage, { reference: `PAY-${9_101 + index}`, amount })
  await doubt(stage)
}

/** Prompts that customers have not answered. They last some minutes, so they are made when the clock is right. */
export async function promptNow(stage: Stage): Promise<void> {
  for (const [index, market] of [markets.kenya, markets.kenya, markets.uganda].entries())
    await prompt(stage, { reference: `ORD-${51_101 + index}`, market })
}

async function underpay({ shop, simulator, chance, clock }: Stage): Promise<void> {
  const body = { amount: 48_000, currency: 'NGN', email: personIn(markets.nigeria, chance).email }
  const { data } = await shop.send('POST', '/fiat/deposit/bank-transfer', { ...body, externalReference: 'ORD-51003' })
  await clock.forward(90_000)
  await simulator.pay(keyOf((data as { transactionId: string }).transactionId), '30000.00')
}

async function payLarge(
  { shop, chance, clock }: Stage,
  { reference, amount }: { readonly reference: string; readonly amount: number },
): Promise<void> {
  const payee = personIn(markets.kenya, chance)
  const order = { reference, market: markets.kenya, payee, amount, bank: '11' }
  await shop.send('POST', '/fiat/payout', payoutBody(order))
  await clock.forward(45_000)
}

/** The provider acts and its responses are lost; its queries fail too, so the outcome stays unknown. */
async function doubt({ shop, simulator, chance, clock }: Stage): Promise<void> {
  for (const reference of ['PAY-9201', 'PAY-9202']) {
    const payee = personIn(markets.uganda, chance)
    const match = { phone: payee.phone.slice(1) }
    const fault = { provider: 'pawapay', match } as const
    await simulator.setFault({ ...fault, operation: 'payout', mode: 'drop_after_processing', times: 1 })
    const order = { reference, market: markets.uganda, payee, amount: chance.between(80, 240) * 1_000 }
    const { transactionId } = await shop.send('POST', '/fiat/payout', payoutBody(order))
    const key = keyOf(String(transactionId))
    await simulator.setFault({ provider: 'pawapay', operation: 'payout_status', match: { key }, mode: 'http_status' })
    await clock.forward(20_000)
  }
}

async function prompt(
  { shop, chance }: Stage,
  { reference, market }: { readonly reference: string; readonly market: Market },
): Promise<void> {
  const { phone } = personIn(market, chance)
  const body = { amount: amountIn(market, chance), currency: market.currency }
  const waiting = `${phone.slice(0, -3)}129` // The sandbox leaves such a prompt to the customer.
  await shop.send('POST', '/fiat/deposit/momo', { ...body, phoneNumber: waiting, externalReference: reference })
}
