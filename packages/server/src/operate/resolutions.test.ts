import assert from 'node:assert/strict'
import { test } from 'node:test'
import { payingMalipo, payOut, payoutInDoubt, walletOf } from '../testing/paying.ts'
import { testPerson } from '../testing/people.ts'

test('the preview of a resolution shows its entries and changes nothing', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id } = await payoutInDoubt(malipo, merchant)
  await malipo.later(60)
  const before = await walletOf(malipo, merchant.id)

  const [successful, failed] = await malipo.operator.payments.resolutions(id)

  assert.deepEqual([successful?.isPossible, failed?.isPossible], [true, true])
  const moves = (postings: NonNullable<typeof failed>['postings']) =>
    postings.map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`)
  assert.deepEqual(moves(failed?.postings ?? []), ['void 100.00 KES', 'void 1.00 KES'])
  assert.deepEqual(moves(successful?.postings ?? []), ['post 100.00 KES', 'post 1.00 KES', 'transfer 100.00 KES'])
  assert.match(failed?.money ?? '', /are back in the merchant's wallet/)
  assert.equal(await malipo.stateOf(id), 'unknown')
  assert.deepEqual(await walletOf(malipo, merchant.id), before)
  const audit = await malipo.ask('select from audit_entries where subject = $1', [id])
  assert.equal(audit.length, 0)
})

test('a resolution that is not possible says why, and a payment outside the scope is unknown', async (t) => {
  const malipo = await payingMalipo(t)
  const { id } = await payOut(await malipo.merchant())
  const limited = await testPerson(malipo, { operator: ['risk'], countries: ['UG'], currencies: ['UGX'] })
  const path = (payment: string) => `/operator/v1/payments/${payment}/resolutions`

  const [successful, failed] = await malipo.operator.payments.resolutions(id)

  assert.equal(successful?.isPossible, false)
  assert.match(successful?.refusal ?? '', /was not sent to a provider yet/)
  assert.deepEqual([successful?.postings, failed?.isPossible], [[], true])
  const unknown = 'txn_01930000000070008000000000000001'
  for (const payment of [id, unknown]) {
    const { status, body } = await limited.call('GET', path(payment))
    assert.deepEqual([status, body['message']], [422, `No payment has the id ${payment}.`])
  }
})

test('a payment in doubt is shown with guidance, callbacks and the proposals about it', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const { id, key } = await payoutInDoubt(malipo, merchant)
  await malipo.ask(
    `insert into proposals (id, operation, input, env, summary, preview, ground_hash, reason, maker_kind, maker_id, maker_name)
     values (gen_random_uuid(), 'payments.resolve', jsonb_build_object('payment', $1::text), 'live', 'Resolve it',
       '{"postings": [], "change": {}}', '\\x00', 'case 4711', 'person', 'person_1', 'Faith')`,
    [key],
  )

  const shown = await malipo.operator.payments.show(id)

  assert.deepEqual([shown.doubt, shown.stage], ['no_response', 'UNCONFIRMED'])
  assert.match(shown.guidance?.meaning ?? '', /no clear response came/)
  assert.deepEqual(
    shown.proposals.map(({ proposedBy, state }) => [proposedBy, state]),
    [['Faith', 'open']],
  )
  assert.deepEqual(shown.callbacks, [])
  assert.equal(shown.attempts[0]?.refusals, 0)
})

test('all payments are listed newest first with ended ones, by type and currency, page by page', async (t) => {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  malipo.work()
  const paid = await payOut(merchant)
  await malipo.comesTo(paid.id, 'successful')
  const doubt = await payoutInDoubt(malipo, merchant)
  const { list } = malipo.operator.payments
  const wanted = { isDoubtOnly: false, isWithEnded: true, merchant: merchant.id, env: 'sandbox' } as const
  const ids = async (filter: object) => (await list({ ...wanted, limit: 10, ...filter })).payments.map(({ id }) => id)

  const first = await list({ ...wanted, limit: 1 })
  const second = await list({ ...wanted, limit: 1, ...(first.next !== undefined && { after: first.next }) })

  assert.deepEqual([first.payments[0]?.id, second.payments[0]?.id], [doubt.id, paid.id])
  assert.deepEqual(
    [first.payments[0]?.stage, second.payments[0]?.stage, second.payments[0]?.method],
    ['UNCONFIRMED', 'COMPLETED', 'momo'],
  )
  assert.deepEqual(await ids({ type: 'payout', currency: 'KES' }), [doubt.id, paid.id])
  assert.deepEqual(await ids({ type: 'charge' }), [])
  assert.deepEqual(await ids({ currency: 'UGX' }), [])
  assert.deepEqual(await ids({ isWithEnded: false, type: 'payout', currency: 'KES' }), [doubt.id])
  assert.deepEqual(await ids({ isWithEnded: false, currency: 'UGX' }), [])
  await assert.rejects(list({ ...wanted, isDoubtOnly: true, limit: 1 }), /are listed without a final state/)
})
