import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, catalogue } from '../errors.ts'
import { numberFromMinor } from '../money/money.ts'
import { loadReferenceData, type Operator } from './data.ts'
import { type Direction, momoAccount, momoAmount } from './momo.ts'

const data = loadReferenceData()
const all = [...data.operators.values()]
const open = all.filter(({ limits }) => limits)
const fields = { phone: 'phoneNumber', operator: 'momoOperatorId', required: 'MOMO_OPERATOR_ID_REQUIRED' } as const

/** The thrown error: its code, and everything that a reader sees. */
function refusal(work: () => unknown): { code: string; providerStatus: string } {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    const details = (error.details ?? []).map(({ field, message }) => `${field}: ${message}`)
    return { code: catalogue[error.key].errorCode, providerStatus: [error.message, ...details].join(' | ') }
  }
  return { code: 'accepted', providerStatus: '' }
}

assert.equal(open.length, 35, 'as many operators are open as the data says')

for (const operator of open) {
  for (const direction of ['deposit', 'payout'] as const) {
    test(`${operator.id} takes a ${direction} from its minimum to its maximum and names the limit`, () => {
      const { currency, decimals } = operator
      const { min, max } = operator.limits?.[direction] ?? assert.fail()
      const [least, most] = [numberFromMinor(min, currency), numberFromMinor(max, currency)]
      const amount = (value: number) => momoAmount(operator, direction, value, currency)

      assert.equal(amount(least), min)
      assert.equal(amount(most), max)
      const [below, above] = [refusal(() => amount(least - 1)), refusal(() => amount(most + 1))]
      // One below a minimum of 1 is 0, which is not a valid amount.
      assert.equal(below.code, least === 1 ? 'VALIDATION_ERROR' : 'AMOUNT_OUT_OF_BOUNDS')
      if (least > 1) assert.match(below.providerStatus, new RegExp(`amount must be at least ${least} ${currency}`))
      assert.equal(above.code, 'AMOUNT_OUT_OF_BOUNDS')
      assert.match(above.providerStatus, new RegExp(`amount must be at most ${most} ${currency}`))
      const tooFine = least + 10 ** -(decimals + 1)
      assert.equal(refusal(() => amount(tooFine)).code, 'VALIDATION_ERROR', `${tooFine}`)
    })
  }
}

for (const operator of open.filter(({ prefixes }) => prefixes.length > 0)) {
  test(`${operator.id} is predicted from its own prefixes, and not for another country’s number`, () => {
    const { currency, id, country } = operator
    const account = momoAccount(data, { currency, phone: exampleOf(operator), operator: '' }, fields)
    const foreign = country === 'KE' ? '+256783456789' : '+254703456789'

    assert.equal(account.operator.id, id)
    assert.equal(account.phone.country, country)
    const named = refusal(() => momoAccount(data, { currency, phone: foreign, operator: id }, fields))
    const unnamed = refusal(() => momoAccount(data, { currency, phone: foreign, operator: '' }, fields))
    assert.ok(['PROVIDER_NOT_FOUND', 'VALIDATION_ERROR'].includes(named.code), named.providerStatus)
    assert.ok(['PROVIDER_NOT_FOUND', 'VALIDATION_ERROR'].includes(unnamed.code), unnamed.providerStatus)
  })
}

test('a number with an unknown prefix asks for the operator and names the choices', () => {
  const { code, providerStatus } = refusal(() =>
    momoAccount(data, { currency: 'UGX', phone: '+256711234789', operator: '' }, fields),
  )

  assert.equal(code, 'MOMO_OPERATOR_ID_REQUIRED')
  assert.match(providerStatus, /momoOperatorId is required: one of AIRTEL_UG, MTN_UG/)
})

test('a ported number goes to the operator that the caller names', () => {
  const { operator } = momoAccount(data, { currency: 'UGX', phone: '+256701234789', operator: 'MTN_UG' }, fields)

  assert.equal(operator.id, 'MTN_UG')
})

test('an operator is found by the names other providers use', () => {
  for (const name of ['MTN_MOMO_UGA', 'mtn_ug'])
    assert.equal(
      momoAccount(data, { currency: 'UGX', phone: '+256783456789', operator: name }, fields).operator.id,
      'MTN_UG',
    )
})

test('a mistyped operator is refused with the list of operators', () => {
  const { code, providerStatus } = refusal(() =>
    momoAccount(data, { currency: 'UGX', phone: '+256783456789', operator: 'MTN_UGA' }, fields),
  )

  assert.equal(code, 'VALIDATION_ERROR')
  assert.match(providerStatus, /momoOperatorId must be one of AIRTEL_UG, MTN_UG/)
})

test('an operator that pays in another currency is refused', () => {
  const { code, providerStatus } = refusal(() =>
    momoAccount(data, { currency: 'UGX', phone: '+256783456789', operator: 'MPESA_KE' }, fields),
  )

  assert.equal(code, 'VALIDATION_ERROR')
  assert.match(providerStatus, /MPESA_KE does not fit/)
})

for (const operator of all.filter(({ limits }) => !limits)) {
  test(`${operator.id}, whose limits are unknown, refuses every amount`, () => {
    for (const direction of ['deposit', 'payout'] satisfies Direction[])
      assert.equal(refusal(() => momoAmount(operator, direction, 100, operator.currency)).code, 'PROVIDER_NOT_FOUND')
  })
}

/** A number with a prefix that only this operator has. */
function exampleOf(operator: Operator): string {
  const { dialing_code } = data.countries.get(operator.country) ?? assert.fail()
  const others = all.filter(({ country, id }) => country === operator.country && id !== operator.id)
  for (const prefix of operator.prefixes) {
    for (const filler of ['3456789', '9345678', '1234567', '0123456', '2345678', '00112233']) {
      for (const length of [7, 8, 9, 10]) {
        const national = (prefix + filler + filler).slice(0, length)
        const phone = `${dialing_code}${national}`
        const isOthers = others.some((other) => other.prefixes.some((start) => national.startsWith(start)))
        if (
          !isOthers &&
          refusal(() => momoAccount(data, { currency: operator.currency, phone, operator: '' }, fields)).code ===
            'accepted'
        )
          return phone
      }
    }
  }
  return assert.fail(`no number begins like one of ${operator.id}`)
}
