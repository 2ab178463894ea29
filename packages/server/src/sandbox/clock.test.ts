import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { keyOf, nextReference, transferBody } from '../testing/charging.ts'
import { type IntegratingMalipo, type Integrator, integratingMalipo } from '../testing/integrating.ts'
import { pollPaidAccounts } from '../workers/paid-accounts.ts'

/** Stays pending until an action ends it. */
const stuckCharge = () => ({
  amount: 100,
  currency: 'KES',
  phoneNumber: '+254703456129',
  externalReference: nextReference(),
})
const stuckPayout = () => ({
  amount: 100,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina', accountNumber: '+254703456129' },
  externalReference: nextReference(),
})

async function start({ call }: Integrator, path: string, body: object): Promise<string> {
  const { status, body: answer } = await call('POST', path, body)
  assert.equal(status, 200, JSON.stringify(answer))
  const { transactionId, data } = answer as { transactionId?: string; data?: { transactionId: string } }
  return transactionId ?? data?.transactionId ?? ''
}

/** A charge that its provider has, with its next query some time away. */
async function startCharge(malipo: IntegratingMalipo, integrator: Integrator): Promise<string> {
  const id = await start(integrator, '/fiat/deposit/momo', stuckCharge())
  await until('the provider to have it', async () => (await rowOf(malipo, id)).state === 'waiting')
  return id
}

interface Row {
  readonly state: string
  readonly wake_at: Date
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly send_deadline: Date
  readonly action: { readonly account?: { readonly expiresAt: string } } | null
}

async function rowOf(malipo: IntegratingMalipo, id: string): Promise<Row> {
  const [row] = await malipo.ask<Row & Record<string, unknown>>(
    `select t.state, t.wake_at, t.expires_at, t.created_at, t.action, a.send_deadline
     from transactions t join attempts a on a.transaction_id = t.id and a.number = t.attempt
     where replace(t.id::text, '-', '') = substr($1, 5)`,
    [id],
  )
  assert(row)
  return row
}

test('a charge whose time passes is unconfirmed at once; it expires when the provider reports', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const id = await startCharge(malipo, integrator)

  const almost = await integrator.advance(13 * 60)
  assert.equal((await integrator.read(id)).status, 'PENDING')
  await integrator.advance(3 * 60)
  await integrator.becomes(id, 'to be unconfirmed', ({ stage }) => stage === 'UNCONFIRMED')
  await malipo.simulator.act(keyOf(id), 'decline')
  const { status, stage } = await integrator.ends(id)

  assert.deepEqual(almost, { seconds: 780, payments: 1, webhooks: 0 })
  assert.deepEqual([status, stage], ['FAILED', 'EXPIRED'])
  await until('its webhook', () => integrator.hooksOf(id).some((hook) => hook.status === 'failed'))
  await malipo.booksAgree()
})

test('a clock advance leaves recorded times as they are and moves only future ones', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const id = await startCharge(malipo, integrator)
  const [before, { timeline }] = [await rowOf(malipo, id), await integrator.read(id)]

  await integrator.advance(2)
  const after = await rowOf(malipo, id)

  assert.deepEqual(after.created_at, before.created_at)
  assert.deepEqual((await integrator.read(id)).timeline.slice(0, timeline.length), timeline)
  assert.equal(Number(before.expires_at) - Number(after.expires_at), 2000)
  const fastForwarded = Number(before.wake_at) - Number(after.wake_at)
  assert.ok(after.state !== 'waiting' || fastForwarded <= 2000, `the next look is ${fastForwarded} ms nearer`)
  const by = Date.parse((await integrator.read(id)).explanation.by ?? '')
  assert.equal(by, Number(after.expires_at), 'the explanation names the new end')
})

test('a clock advance covers a charge that is still on its way to its provider', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  await malipo.simulator.setFault({ provider: 'pawapay', operation: 'charge', mode: 'latency', delayMs: 60_000 })
  const charge = { ...stuckCharge(), phoneNumber: '+254703456789' }
  const id = await integrator.runScenario('expiry', '/fiat/deposit/momo', charge)
  await until('it to be sent', async () => (await rowOf(malipo, id)).state === 'sending')

  const advanced = integrator.advance(1200)
  // Repeated, since the request may not have reached the simulator yet.
  await until('its provider to have answered', async () => {
    await malipo.simulator.advance(60_000)
    return (await rowOf(malipo, id)).state !== 'sending'
  })
  await advanced

  const { stage, timeline } = await integrator.ends(id)
  assert.equal(stage, 'EXPIRED')
  assert.ok(!timeline.some((event) => event.stage === 'UNCONFIRMED'))
})

test('a clock advance is a hint: a response from before it is followed by another query', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const id = await startCharge(malipo, integrator)

  await integrator.advance(1)

  const hinted = await malipo.ask(
    `select is_hinted from attempts where replace(transaction_id::text, '-', '') = substr($1, 5)`,
    [id],
  )
  assert.deepEqual(hinted, [{ is_hinted: true }])
})

test('a clock advance retries a waiting webhook at once', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  integrator.inbox.statusOf = () => 500
  const id = await startCharge(malipo, integrator)
  const waiting = async () => {
    const { body } = await integrator.call('GET', `/webhooks?reference=${id}`)
    const [record] = (body['data'] as { attempts: number; nextAttemptAt?: string }[]).slice(-1)
    return record
  }
  for (const attempts of [1, 2, 3, 4, 5, 6]) {
    await until(`attempt ${attempts}`, async () => (await waiting())?.attempts === attempts)
    const { webhooks } = await integrator.advance(3 * 3600)
    assert.ok(webhooks >= 1, `${webhooks} webhooks at attempt ${attempts}`)
  }
  integrator.inbox.statusOf = () => 200
  await integrator.advance(24 * 3600)

  await until('it to be taken', async () => (await waiting())?.nextAttemptAt === undefined)
})

test('the account of a bank transfer charge ends sooner; a paid one is queried at its new end', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const [open, paid] = [
    await start(integrator, '/fiat/deposit/bank-transfer', transferBody()),
    await start(integrator, '/fiat/deposit/bank-transfer', transferBody()),
  ]
  await malipo.simulator.act(keyOf(paid), 'approve')
  await integrator.ends(paid)
  const { virtualAccount: before } = await integrator.read(open)

  await integrator.advance(3600)
  const { virtualAccount: after } = await integrator.read(open)
  assert.equal(Date.parse(before?.expiresAt ?? '') - Date.parse(after?.expiresAt ?? ''), 3_600_000)
  await integrator.advance(26 * 3600)

  assert.equal((await integrator.ends(open)).stage, 'EXPIRED')
  await pollPaidAccounts(malipo.ctx)
  assert.deepEqual(await malipo.ask(`select from paid_accounts`), [])
  await malipo.booksAgree()
})

test('a clock advance queries a payout sooner and never ends it', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrator = await malipo.integrator()
  const id = await start(integrator, '/fiat/payout', stuckPayout())
  await malipo.comesTo(id, 'submitted')
  const { send_deadline } = await rowOf(malipo, id)
  const questions = async () =>
    (await malipo.simulator.requests(keyOf(id))).filter(({ operation }) => operation === 'payout_status').length

  for (let round = 1; round <= 3; round += 1) {
    const asked = await questions()
    await until('another question', async () => {
      await integrator.advance(24 * 3600)
      return (await questions()) > asked
    })
  }

  assert.equal((await integrator.read(id)).status, 'PENDING')
  assert.deepEqual((await rowOf(malipo, id)).send_deadline, send_deadline, 'what guards its money does not pass sooner')
  await malipo.booksAgree()
})

test('a clock advance affects no other merchant, and not the same merchant in live', async (t) => {
  const malipo = await integratingMalipo(t)
  const [integrator, other] = [await malipo.integrator(), await malipo.integrator()]
  for (const each of [integrator, other]) each.inbox.statusOf = () => 500
  const own = await startCharge(malipo, integrator)
  const theirs = await startCharge(malipo, other)
  for (const each of [integrator, other])
    await until('a webhook to wait', async () => {
      const { body } = await each.call('GET', '/webhooks?status=FAILED')
      return (body['data'] as unknown[]).length > 0
    })
  // Copies these as a live payment and a live webhook of the merchant.
  await malipo.ask(
    `insert into transactions
     select copy.* from transactions t
     cross join lateral jsonb_populate_record(null::transactions, to_jsonb(t) || jsonb_build_object(
       'id', overlay(t.id::text placing 'ffff' from 25 for 4), 'env', 'live', 'wake_at', t.wake_at + interval '1 hour')) copy
     where replace(t.id::text, '-', '') = substr($1, 5)`,
    [own],
  )
  const everybodyElse = async () => {
    const rows = await malipo.ask(
      `select t.id, t.env, t.expires_at, t.created_at, e.failing_since
       from transactions t join webhook_endpoints e using (merchant_id, env)
       where replace(t.id::text, '-', '') = substr($1, 5) or t.env = 'live'
       order by t.id`,
      [theirs],
    )
    return JSON.stringify(rows)
  }
  const before = await everybodyElse()
  const received = other.inbox.received.length

  await integrator.advance(30 * 24 * 3600)
  await integrator.becomes(own, 'to be unconfirmed', ({ stage }) => stage === 'UNCONFIRMED')

  assert.equal(await everybodyElse(), before)
  assert.equal((await other.read(theirs)).status, 'PENDING')
  assert.ok(other.inbox.received.length - received <= 1, 'only what was due by itself')
})

test('under rapid clock advances with workers each payment ends once and every webhook arrives', async (t) => {
  const malipo = await integratingMalipo(t)
  const integrators = await Promise.all([1, 2].map(() => malipo.integrator()))
  let refused = 0
  for (const { inbox } of integrators)
    inbox.statusOf = () => {
      refused += 1
      return refused % 3 === 0 ? 200 : 500
    }

  const ids = await Promise.all(
    integrators.map(async (integrator) => {
      const started = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          index % 3 === 0
            ? start(integrator, '/fiat/payout', { ...stuckPayout(), payoutMethod: good })
            : start(
                integrator,
                '/fiat/deposit/momo',
                index % 3 === 1 ? stuckCharge() : { ...stuckCharge(), ...payable },
              ),
        ),
      )
      const hurry = async () => {
        for (let round = 0; round < 12; round += 1) await integrator.advance(150)
      }
      await Promise.all([hurry(), hurry(), hurry()])
      return started
    }),
  )
  for (const id of ids.flatMap((all) => all.filter((_, place) => place % 3 === 1)))
    await malipo.simulator.act(keyOf(id), 'decline').catch(() => undefined) // It may have expired before it was sent.
  for (const [index, integrator] of integrators.entries()) for (const id of ids[index] ?? []) await integrator.ends(id)
  for (const integrator of integrators) integrator.inbox.statusOf = () => 200
  await until('every webhook to be taken', async () => {
    for (const integrator of integrators) await integrator.advance(24 * 3600)
    const open = await malipo.ask(
      `select from webhook_records where status <> 'SUCCESS' and env = 'sandbox'
      and merchant_id in (select merchant_id from webhook_endpoints where url like $1 or url like $2)`,
      [`${integrators[0]?.inbox.url}%`, `${integrators[1]?.inbox.url}%`],
    )
    return open.length === 0
  })

  for (const [index, integrator] of integrators.entries())
    for (const id of ids[index] ?? []) {
      const ends = new Set(
        integrator
          .hooksOf(id)
          .filter(({ status }) => status !== 'pending')
          .map((hook) => hook.id),
      )
      assert.equal(ends.size, 1, `${id} was reported as ended ${ends.size} times`)
      assert.ok((await malipo.simulator.movements(keyOf(id))).length <= 1)
    }
  // A charge may expire at the moment its provider takes the money: that is booked as late, and the books agree.
  await malipo.operator.ledger.check({ isFull: true })
})

const good = { accountName: 'Amina', accountNumber: '+254703456789' }
const payable = { phoneNumber: '+254703456789' }
