import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Body,
  card,
  flutterwaveVariables,
  sealed,
  startTestSimulator,
  type TestSimulator,
} from '../testing/simulator.ts'
import { decrypt } from './cipher.ts'

type Order = ReturnType<typeof card>

const charge = (sim: TestSimulator, order: object) => sim.flutterwave('POST', '/charges?type=card', sealed(order))
const authorise = (sim: TestSimulator, order: Order, authorization: object) => charge(sim, { ...order, authorization })
const validate = (sim: TestSimulator, flw_ref: string, otp: string) =>
  sim.flutterwave('POST', '/validate-charge', { otp, flw_ref, type: 'card' })
const verify = (sim: TestSimulator, { tx_ref }: Order) =>
  sim.flutterwave('GET', `/transactions/verify_by_reference?tx_ref=${tx_ref}`)
const address = { city: 'Lagos', address: '1 Marina', state: 'Lagos', country: 'NG', zipcode: '100001' }
const unknown = { status: 'error', message: 'No transaction was found for this id', data: null }

/** A card as printed: number, month and year. */
const printed = (number: string, expiry: string) => {
  const [expiry_month, expiry_year] = expiry.split('/')
  return card(number, { expiry_month, expiry_year })
}

/** Sends the PIN and stops at the question for the code. */
async function upToCode(sim: TestSimulator, order: Order, pin: string): Promise<Body> {
  const asked = await charge(sim, order)
  assert.deepEqual(asked.body, {
    status: 'success',
    message: 'Charge authorization data required',
    meta: { authorization: { mode: 'pin', fields: ['pin'] } },
  })
  assert.deepEqual((await verify(sim, order)).body, unknown)
  return (await authorise(sim, order, { mode: 'pin', pin })).body
}

test('the published test vector is decrypted', () => {
  const text =
    'ZYlMxM1hI/KQ3JMv5GQbOGdhMRBygschW8sa6niAMGxB6v2TSd0vVHxkRjmL2UbJ+n+KJHWgMgsxj5m9vCMMQYH1S3xtiKWAjCeGSmMIiw22BWlrNnq8BcKT6ofLB/oi8DBsvwfr2J4TtIoqJw/qUctgRiJUBiN+9AVVIrymlu23Kdyef0djG0IxbJRREI2NfwtehRKBjug='
  assert.deepEqual(decrypt('FLWSECK_TEST0123456789ab', text), {
    card_number: '5531886652142950',
    cvv: '564',
    expiry_month: '09',
    expiry_year: '32',
    currency: 'NGN',
    amount: '100',
    email: 'a@b.co',
    tx_ref: 'T1',
  })
  assert.equal(decrypt('FLWSECK_TEST0123456789xx', text), undefined)
})

const pinCards = [
  ['5531886652142950', '09/32', '1234', '123456'],
  ['5531886652142950', '09/32', '3310', '12345'],
  ['5531886652142950', '12/40', '1234', '12345'],
  ['5061460410120223210', '10/31', '3310', '12345'],
] as const

for (const [number, expiry, pin, otp] of pinCards)
  test(`${number} asks for PIN ${pin} and code ${otp}, and moves money once`, async (t) => {
    const sim = await startTestSimulator(t)
    const order = printed(number, expiry)

    const { data, meta } = await upToCode(sim, order, pin)
    assert.deepEqual([data.status, meta.authorization.mode], ['pending', 'otp'])
    assert.match(
      data.processor_response,
      /^Please enter the OTP sent to your mobile number 080\*{6} and email am\*{3}@/,
    )
    assert.equal((await verify(sim, order)).body.data.status, 'pending')
    const done = await validate(sim, data.flw_ref, otp)

    assert.deepEqual([done.body.message, done.body.data.status], ['Charge validated', 'successful'])
    const [first] = await sim.movements(order.tx_ref)
    assert.deepEqual([first.kind, first.amount, first.currency], ['collected', '100', 'NGN'])
    assert.equal((await sim.flutterwave('GET', `/transactions/${data.id}/verify`)).body.data.status, 'successful')
    assert.equal((await validate(sim, data.flw_ref, otp)).body.message, 'Transaction not found')
    assert.equal((await sim.movements(order.tx_ref)).length, 1)
  })

const quietCards = [
  ['4242424242424242', '01/40'],
  ['5061460166976054667', '10/29'],
  ['5377283645077450', '09/31'],
  ['374614826981843', '10/31'],
  ['348784578661852', '10/31'],
  ['4111111111111111', '12/30'],
] as const

for (const [number, expiry] of quietCards)
  test(`${number} succeeds at once`, async (t) => {
    const sim = await startTestSimulator(t)
    const order = printed(number, expiry)
    const { body } = await charge(sim, order)

    assert.deepEqual([body.message, body.data.status, body.meta], ['Charge successful', 'successful', undefined])
    assert.deepEqual(
      [body.data.card.first_6digits, body.data.card.last_4digits, body.data.card.expiry],
      [number.slice(0, 6), number.slice(-4), expiry],
    )
    const { data } = (await verify(sim, order)).body
    assert.deepEqual([data.amount, data.currency, data.tx_ref, data.status], [100, 'NGN', order.tx_ref, 'successful'])
    assert.deepEqual([data.app_fee, data.amount_settled, data.meta], [1.4, 98.6, null])
    assert.equal((await sim.movements(order.tx_ref)).length, 1)
  })

const pageCards = [
  ['4000002760003184', '11/39'],
  ['5438898014560229', '10/31'],
  ['4187427415564246', '09/32'],
  ['5640003941605320', '05/26'],
  ['340614670471041', '10/31'],
] as const

for (const [number, expiry] of pageCards)
  test(`${number} is approved on the bank’s page, which sends the payer back`, async (t) => {
    const sim = await startTestSimulator(t)
    const order = { ...printed(number, expiry), redirect_url: 'https://shop.example/back?order=7' }
    const { body } = await charge(sim, order)
    assert.deepEqual(
      [body.message, body.data.status, body.meta.authorization.mode],
      ['Charge initiated', 'pending', 'redirect'],
    )
    const page = await fetch(body.meta.authorization.redirect)
    assert.match(await page.text(), new RegExp(`100 NGN[\\s\\S]*${number.slice(-4)}[\\s\\S]*<form method="post">`))

    const back = await press(body.meta.authorization.redirect, 'approve')
    assert.deepEqual(
      [back.status, back.headers.get('location')],
      [
        303,
        `https://shop.example/back?order=7&status=successful&tx_ref=${order.tx_ref}&transaction_id=${body.data.id}`,
      ],
    )
    assert.equal((await verify(sim, order)).body.data.status, 'successful')
    await press(body.meta.authorization.redirect, 'decline')
    assert.equal((await sim.movements(order.tx_ref)).length, 1)
  })

const press = (url: string, action: string) =>
  fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ action }) })

test('a payer’s decline on the page fails the charge; without a return address the page says so', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('4000002760003184')
  const { redirect } = (await charge(sim, order)).body.meta.authorization
  assert.equal((await press(redirect, 'dance')).status, 400)

  const response = await press(redirect, 'decline')
  assert.equal(response.status, 200)
  assert.match(await response.text(), /This payment is failed\. You may close this page\./)
  const { data } = (await verify(sim, order)).body
  assert.deepEqual([data.status, data.processor_response], ['failed', 'Declined'])
  assert.deepEqual(await sim.movements(order.tx_ref), [])
  assert.equal((await fetch(`${sim.url}/flutterwave/bank-page/FLW-MOCK-1`)).status, 404)
})

test('the page is at the configured public URL', async (t) => {
  const sim = await startTestSimulator(t, { SIMULATOR_PUBLIC_URL: 'https://pay.example' })
  const { body } = await charge(sim, card('4000002760003184'))
  assert.equal(body.meta.authorization.redirect, `https://pay.example/flutterwave/bank-page/${body.data.flw_ref}`)
})

test('4556052704172643 asks for the address and succeeds with it', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('4556052704172643')
  const asked = await charge(sim, order)
  assert.deepEqual(asked.body.meta.authorization, {
    mode: 'avs_noauth',
    fields: ['city', 'address', 'state', 'country', 'zipcode'],
  })
  assert.deepEqual((await verify(sim, order)).body, unknown)

  const done = await authorise(sim, order, { mode: 'avs_noauth', ...address })
  assert.deepEqual([done.body.message, done.body.data.status], ['Charge successful', 'successful'])
  assert.equal((await sim.movements(order.tx_ref)).length, 1)
})

const declinedCards = [
  ['4000000000000002', '12/30', 'Do Not Honour'],
  ['4000000000009995', '12/30', 'Insufficient Funds'],
  ['5143010522339965', '08/31', 'Do Not Honour'],
  ['5590131743294314', '11/32', 'Suspected fraud'],
  ['5258585922666506', '09/31', 'Insufficient Funds'],
  ['5551651630381384', '08/31', 'Restricted card'],
  ['5551658157653822', '08/31', 'Invalid transaction'],
  ['5258582054729020', '11/30', 'Transaction not permitted'],
  ['5258588264565682', '11/30', 'Transaction not permitted'],
  ['5258589130149016', '11/30', 'Transaction error'],
  ['5640007065275380', '05/26', 'Insufficient Funds'],
  ['4242424242424242', '10/25', 'Expired card'],
  ['5531886652142950', '10/25', 'Expired card'],
] as const

for (const [number, expiry, words] of declinedCards)
  test(`${number} ${expiry} is declined: ${words}`, async (t) => {
    const sim = await startTestSimulator(t)
    const order = printed(number, expiry)
    const { status, body } = await charge(sim, order)

    assert.deepEqual([status, body.status, body.message], [200, 'success', 'Charge failed'])
    assert.deepEqual([body.data.status, body.data.processor_response], ['failed', words])
    assert.equal((await verify(sim, order)).body.data.processor_response, words)
    assert.deepEqual(await sim.movements(order.tx_ref), [])
  })

test('5143010522339965 08/32 asks for the address and is declined for it', async (t) => {
  const sim = await startTestSimulator(t)
  const order = printed('5143010522339965', '08/32')
  assert.equal((await charge(sim, order)).body.meta.authorization.mode, 'avs_noauth')
  const { body } = await authorise(sim, order, { mode: 'avs_noauth', ...address })
  assert.deepEqual([body.data.status, body.data.processor_response], ['failed', 'Declined by AVS'])
})

test('5399834697894723 asks for the PIN and is declined for any', async (t) => {
  const sim = await startTestSimulator(t)
  const order = printed('5399834697894723', '09/31')
  const { data } = await upToCode(sim, order, '3310')
  assert.deepEqual([data.status, data.processor_response], ['failed', 'Wrong PIN'])
})

test('a payer may retry after a wrong PIN and a wrong code', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('5061460410120223210')
  await charge(sim, order)
  const wrongPin = await authorise(sim, order, { mode: 'pin', pin: '1234' })
  assert.deepEqual([wrongPin.status, wrongPin.body.message], [400, 'Invalid PIN. Please try again'])
  assert.deepEqual((await verify(sim, order)).body, unknown)
  const { data } = (await authorise(sim, order, { mode: 'pin', pin: '3310' })).body
  for (const otp of ['123456', '5548']) {
    const wrongCode = await validate(sim, data.flw_ref, otp)
    assert.deepEqual([wrongCode.status, wrongCode.body.message], [400, 'Invalid OTP. Please try again'])
  }
  assert.equal((await verify(sim, order)).body.data.status, 'pending')

  assert.equal((await validate(sim, data.flw_ref, '12345')).body.data.status, 'successful')
})

test('the code 6648 fails with insufficient funds', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('5531886652142950')
  const { data } = await upToCode(sim, order, '3310')
  const { status, body } = await validate(sim, data.flw_ref, '6648')
  assert.deepEqual([status, body.data.status, body.data.processor_response], [200, 'failed', 'Insufficient Funds'])
  assert.deepEqual(await sim.movements(order.tx_ref), [])
})

test('the charge fails after twenty wrong values', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('5531886652142950')
  const { data } = await upToCode(sim, order, '3310')
  for (let tries = 1; tries < 20; tries++) assert.equal((await validate(sim, data.flw_ref, '000000')).status, 400)

  const { status, body } = await validate(sim, data.flw_ref, '000000')
  assert.deepEqual([status, body.data.status, body.data.processor_response], [200, 'failed', 'Too many attempts'])
  assert.equal((await validate(sim, data.flw_ref, '12345')).status, 400)
})

test('a reference is charged once, however often it is sent', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('4242424242424242')
  const responses = await Promise.all(Array.from({ length: 10 }, () => charge(sim, order)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 400)])
  assert.equal(
    responses.find(({ status }) => status === 400)?.body.message,
    'Transaction with this tx_ref already exists',
  )
  assert.equal((await sim.movements(order.tx_ref)).length, 1)
})

test('a card that waits for its PIN asks for it again, and no other card can replace it', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('5531886652142950')
  const first = await charge(sim, order)
  assert.deepEqual((await charge(sim, order)).body, first.body)

  const pin = { mode: 'pin', pin: '3310' }
  const refusals = [
    await charge(sim, { ...order, card_number: '4242424242424242' }),
    await authorise(sim, { ...order, card_number: '4242424242424242' }, pin),
    await authorise(sim, { ...order, amount: 99 }, pin),
    await authorise(sim, order, { mode: 'avs_noauth', ...address }),
    await authorise(sim, card('5531886652142950'), pin),
  ]
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [400, 400, 400, 400, 400],
  )
  assert.equal((await authorise(sim, order, pin)).body.data.status, 'pending')
  assert.equal((await authorise(sim, order, pin)).body.message, 'Transaction with this tx_ref already exists')
})

const steps = [
  ['that only asked for a PIN', '5531886652142950', undefined],
  ['that only asked for the address', '4556052704172643', undefined],
  ['that waits for the page', '4000002760003184', undefined],
  ['that waits for the code', '5531886652142950', '1234'],
] as const

for (const [what, number, pin] of steps)
  test(`a payer can be made to approve or decline a card ${what}`, async (t) => {
    const sim = await startTestSimulator(t)
    const act = async (action: string) => {
      const order = card(number)
      await charge(sim, order)
      if (pin !== undefined) await authorise(sim, order, { mode: 'pin', pin })
      assert.equal((await sim.control('POST', `/payer/${order.tx_ref}/act`, { action })).status, 200)
      assert.equal((await sim.control('POST', `/payer/${order.tx_ref}/act`, { action })).status, 409)
      const { data } = (await verify(sim, order)).body
      return [data.status, data.processor_response, (await sim.movements(order.tx_ref)).length]
    }

    assert.deepEqual(await act('approve'), ['successful', 'successful', 1])
    assert.deepEqual(await act('decline'), ['failed', 'Declined', 0])
    const reported = (await sim.receiver.take(2)).map(({ body }) => (body['data'] as Body).status)
    assert.deepEqual(reported, ['successful', 'failed'])
  })

test('the control API shows no card number, CVV, PIN or code', async (t) => {
  const sim = await startTestSimulator(t)
  const order = card('5531886652142950', { cvv: '7391' })
  const { data } = await upToCode(sim, order, '1234')
  await authorise(sim, order, { mode: 'pin', pin: '8642' })
  await validate(sim, data.flw_ref, '975319')
  await validate(sim, data.flw_ref, '123456')
  const payload = sealed(order)
  await sim.flutterwave('POST', '/charges?type=card', order)

  const lists = ['/payments', '/ledger', '/requests', '/callbacks', '/faults']
  const shown = await Promise.all(lists.map(async (path) => JSON.stringify((await sim.control('GET', path)).body)))
  for (const secret of ['5531886652142950', '7391', '8642', '975319', '"123456"', '"1234"', payload.client])
    assert.equal(shown.join('').includes(secret), false, `${secret} is shown`)
  assert.match(shown.join(''), /553188\*{6}2950/)
  assert.equal(shown.join('').includes(flutterwaveVariables.SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY), false)
})
