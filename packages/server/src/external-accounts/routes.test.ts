import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'

const path = '/api/b2b/external-accounts'
const person = (phoneNumber: string) => ({
  country: 'KE',
  currency: 'KES',
  payload: { firstName: 'Amina', lastName: 'Otieno', phoneNumber, destination: 'MoMo' },
})
const flat = (accountNumber: string, over: object = {}) => ({
  country: 'NG',
  currency: 'NGN',
  destination: 'Bank Account',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber, code: '058', ...over },
})
const idOf = ({ body }: ApiResponse) => (body['data'] as { id: string }).id
const providerStatus = ({ status, body }: ApiResponse) => [
  status,
  body['errorCode'],
  (body['details'] as { field: string }[] | undefined)?.[0]?.field,
]

test('the operator predicted from a number is stored and shown', async (t) => {
  const { call } = await (await testMalipo(t)).merchant()

  const id = idOf(await call('POST', path, person('254703456789')))

  const { body } = await call('GET', `${path}/${id}`)
  const data = body['data'] as Record<string, unknown>
  assert.match(id, /^ea_[0-9a-f]{32}$/)
  assert.equal(data['type'], 'payout')
  assert.deepEqual(data['payoutMethod'], {
    accountName: 'Amina Otieno',
    accountNumber: '+254703456789',
    code: 'MPESA_KE',
    branchCode: '',
  })
})

test('no table holds an account number in clear text', async (t) => {
  const malipo = await testMalipo(t)
  const { call } = await malipo.merchant()
  const [first, second] = ['1234509876', '5554443332']

  const id = idOf(await call('POST', path, flat(first)))
  await call('PUT', `${path}/${id}`, flat(second))

  const rows = await malipo.ask<{ text: string }>(`
    select external_accounts::text as text from external_accounts
    union all select audit_entries::text from audit_entries
    union all select idempotency_keys::text from idempotency_keys`)
  assert.ok(rows.length >= 3)
  for (const { text } of rows) assert.ok(!text.includes(first) && !text.includes(second), text)
})

test('a sealed number copied to another row does not open there', async (t) => {
  const malipo = await testMalipo(t)
  const { call } = await malipo.merchant()
  const [one, other] = [
    idOf(await call('POST', path, flat('1111111111'))),
    idOf(await call('POST', path, flat('2222222222'))),
  ]
  const uuid = (id: string) => id.slice(3)

  await malipo.ask(
    `update external_accounts set account_number = (select account_number from external_accounts where id = $1) where id = $2`,
    [uuid(one), uuid(other)],
  )

  assert.equal((await call('GET', `${path}/${other}`)).status, 500)
})

test('of many equal accounts created at once one remains, also under one key', async (t) => {
  const { call } = await (await testMalipo(t)).merchant()

  const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', path, flat('1234567890'))))

  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200))
    assert.deepEqual(providerStatus(answer).slice(0, 2), [409, 'E-BEN.S-35'])
})

test('a number hashed under the previous key is still recognised after a key change', async (t) => {
  const before = await testMalipo(t)
  const old = await before.merchant()
  await old.call('POST', path, flat('1234567890'))
  const first = before.secrets['MALIPO_SECRET_KEYS']
  const rotated = `newer:${Buffer.alloc(32, 7).toString('base64url')},${first}`
  const after = await testMalipo(t, { MALIPO_SECRET_KEYS: rotated })
  const authorization = `Bearer ${await old.token()}`

  const again = await after.call('POST', path, { authorization }, flat('1234567890'))

  assert.deepEqual(providerStatus(again).slice(0, 2), [409, 'E-BEN.S-35'])
})

test('a deleted account is gone from every read, and its number may be used again', async (t) => {
  const { call } = await (await testMalipo(t)).merchant()
  const id = idOf(await call('POST', path, flat('1234567890')))

  assert.equal((await call('DELETE', `${path}/${id}`)).status, 200)

  for (const [method, body] of [['GET'], ['DELETE'], ['PUT', flat('1234567890')]] as const)
    assert.deepEqual(providerStatus(await call(method, `${path}/${id}`, body)).slice(0, 2), [404, 'E-BEN.S-90'])
  assert.deepEqual((await call('GET', path)).body['data'], [])
  assert.equal((await call('POST', path, flat('1234567890'))).status, 200)
})

test('pages follow one another without a gap or a repeat, with a filter too', async (t) => {
  const { call } = await (await testMalipo(t)).merchant()
  const made: string[] = []
  for (let index = 0; index < 7; index += 1) {
    made.unshift(idOf(await call('POST', path, flat(`100000000${index}`))))
    await call('POST', path, person(`25470345600${index}`))
  }

  const seen: string[] = []
  let next: string | undefined = `${path}?limit=2&country=NG`
  while (next !== undefined) {
    const page = await call('GET', next)
    seen.push(...(page.body['data'] as { externalAccountId: string }[]).map((row) => row.externalAccountId))
    next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]
  }

  assert.deepEqual(seen, made)
})

test('only its own merchant finds an account, in its own environment', async (t) => {
  const malipo = await testMalipo(t)
  const owner = await malipo.merchant()
  const id = idOf(await owner.call('POST', path, flat('1234567890')))
  const stranger = await malipo.merchant()
  const live = await malipo.operator.keys.create(owner.id, { env: 'live' })
  const livePair = await malipo.as(live)

  for (const call of [stranger.call, livePair.call]) {
    for (const [method, body] of [['GET'], ['DELETE'], ['PUT', flat('1234567890')]] as const)
      assert.equal((await call(method, `${path}/${id}`, body)).status, 404)
    assert.deepEqual((await call('GET', path)).body['data'], [])
    assert.equal((await call('POST', path, flat('1234567890'))).status, 200)
  }
})

const wrong: [string, object, string, string][] = [
  ['a bank that is not there', flat('1234567890', { code: '999' }), 'VALIDATION_ERROR', 'payoutMethod.code'],
  ['a NUBAN of nine digits', flat('123456789'), 'VALIDATION_ERROR', 'payoutMethod.accountNumber'],
  [
    'a bank in Uganda without a branch',
    { ...flat('1234567890', { code: '04' }), country: 'UG', currency: 'UGX' },
    'VALIDATION_ERROR',
    'payoutMethod.branchCode',
  ],
  ['a number of another country', person('+256783456789'), 'PROVIDER_NOT_FOUND', ''],
  [
    'a number that matches no operator',
    { ...person('+256711234567'), country: 'UG', currency: 'UGX' },
    'MOMO_CODE_REQUIRED',
    'payload.payoutMethod.code',
  ],
  ['a till outside Kenya', { ...flat('522533'), destination: 'Till' }, 'VALIDATION_ERROR', 'destination'],
  [
    'a currency the country is not paid in',
    { ...flat('1234567890'), currency: 'KES' },
    'VALIDATION_ERROR',
    'payoutMethod.code',
  ],
  ['both shapes at once', { ...flat('1234567890'), ...person('254703456789') }, 'VALIDATION_ERROR', 'payload'],
  ['neither shape', { country: 'KE', currency: 'KES' }, 'VALIDATION_ERROR', 'payload'],
  ['a name of blanks', flat('1234567890', { accountName: '  ' }), 'VALIDATION_ERROR', 'payoutMethod.accountName'],
]

for (const [name, body, errorCode, field] of wrong) {
  test(`${name} is refused with the name of the field`, async (t) => {
    const { call } = await (await testMalipo(t)).merchant()

    const answer = await call('POST', path, body)

    assert.equal(answer.body['errorCode'], errorCode, JSON.stringify(answer.body))
    if (field !== '') assert.equal(providerStatus(answer)[2], field)
  })
}
