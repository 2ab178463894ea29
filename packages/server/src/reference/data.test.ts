import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadReferenceData } from './data.ts'
import { DataError } from './table.ts'

const folder = fileURLToPath(new URL('../../data/', import.meta.url))

test('the reviewed data is consistent', () => {
  const { countries, operators, banks, branches } = loadReferenceData()

  assert.equal(countries.get('KE')?.currency, 'KES')
  assert.deepEqual(operators.get('MPESA_KE')?.limits, {
    deposit: { min: 100n, max: 25_000_000n },
    payout: { min: 1000n, max: 25_000_000n },
  })
  assert.equal(operators.get('AIRTEL_KE')?.limits, undefined)
  assert.equal([...banks.values()].filter(({ country }) => country === 'KE').length, 44)
  assert.ok((branches.get(1001)?.length ?? 0) > 200)
})

/** Each kind of mistake: the change, and the error it must cause, with file and line. */
const mistakes: Record<string, { file: string; from: RegExp | string; to: string; message: RegExp }> = {
  'a row with a cell too few': {
    file: 'countries.csv',
    from: 'KE,KEN,Kenya,',
    to: 'KE,KEN,',
    message: /countries\.csv:\d+: 5 cells, expected 6/,
  },
  'a value of the wrong form': {
    file: 'operators.csv',
    from: /^(MPESA_KE,[^,]+,KE,KES,PROVIDER_AUTH,)0/m,
    to: '$1none',
    message: /operators\.csv:\d+: decimals must be a whole number, not "none"/,
  },
  'a currency that does not exist': {
    file: 'banks.csv',
    from: 'KE,KES,01,',
    to: 'KE,KSH,01,',
    message: /banks\.csv:\d+: currency must be one of .*, not "KSH"/,
  },
  'an id that is used twice': {
    file: 'banks.csv',
    from: '1002,KE,KES,02,',
    to: '1001,KE,KES,02,',
    message: /banks\.csv:\d+: bank 1001 is on banks\.csv:\d+ already/,
  },
  'a branch of a bank that is not there': {
    file: 'branches.csv',
    from: '992,280,',
    to: '992,281,',
    message: /branches\.csv:\d+: bank 281 is not in banks\.csv/,
  },
  'a least amount above the most': {
    file: 'operators.csv',
    from: /^(MTN_UG,.*?,0,)500,/m,
    to: '$16000000,',
    message: /operators\.csv:\d+: deposit_min is above deposit_max/,
  },
  'a prefix of two operators': {
    file: 'operators.csv',
    from: /^(AIRTEL_UG,.*?,)70 /m,
    to: '$177 ',
    message: /operators\.csv:\d+: prefix UG 77 is on operators\.csv:\d+ already/,
  },
  'a route for an operator that is not there': {
    file: 'routes.csv',
    from: 'charge.momo,KE,KES,MPESA_KE,',
    to: 'charge.momo,KE,KES,MPESSA_KE,',
    message: /routes\.csv:\d+: operator MPESSA_KE is not in operators\.csv/,
  },
  'a route to an unknown provider': {
    file: 'routes.csv',
    from: 'charge.momo,KE,KES,MPESA_KE,pawapay',
    to: 'charge.momo,KE,KES,MPESA_KE,pawpay',
    message: /routes\.csv:\d+: provider pawpay is not known/,
  },
  'a provider’s code of an operator that is not there': {
    file: 'provider-codes.csv',
    from: 'pawapay,MPESA_KE,',
    to: 'pawapay,MPESSA_KE,',
    message: /provider-codes\.csv:\d+: operator MPESSA_KE is not in operators\.csv/,
  },
  'a provider’s code of two banks': {
    file: 'banks.csv',
    from: 'Lotus Bank,,10,000029,',
    to: 'Lotus Bank,,10,000026,',
    message: /banks\.csv:\d+: Flutterwave code NG 000026 is on banks\.csv:\d+ already/,
  },
  'a pair in both directions': {
    file: 'pairs.csv',
    from: 'KES,UGX',
    to: 'KES,UGX\nUGX,KES',
    message: /pairs\.csv:\d+: pair KES\/UGX is on pairs\.csv:\d+ already/,
  },
  'columns in another order': {
    file: 'pairs.csv',
    from: 'base,quote',
    to: 'quote,base',
    message: /pairs\.csv:\d+: the columns must be base,quote/,
  },
}

for (const [kind, { file, from, to, message }] of Object.entries(mistakes)) {
  test(`${kind} stops the start, with file and line`, (t) => {
    const copy = copyOfData(t)
    const path = join(copy, file)
    const before = readFileSync(path, 'utf8')
    writeFileSync(path, before.replace(from, to))
    assert.notEqual(readFileSync(path, 'utf8'), before, 'the mistake was made')

    assert.throws(
      () => loadReferenceData(copy),
      (error: Error) => error instanceof DataError && message.test(error.message),
    )
  })
}

test('every mistake is reported at once', (t) => {
  const copy = copyOfData(t)
  for (const [file, from, to] of [
    ['pairs.csv', 'KES,UGX', 'KES,KES'],
    ['countries.csv', '+254', '254'],
  ] as const)
    writeFileSync(join(copy, file), readFileSync(join(copy, file), 'utf8').replace(from, to))

  assert.throws(
    () => loadReferenceData(copy),
    (error: Error) => /pairs\.csv/.test(error.message) && /countries\.csv/.test(error.message),
  )
})

function copyOfData(t: TestContext): string {
  const copy = mkdtempSync(join(tmpdir(), 'malipo-data-'))
  t.after(() => rmSync(copy, { recursive: true }))
  cpSync(folder, copy, { recursive: true })
  return copy
}
