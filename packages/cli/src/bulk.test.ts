import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactSum } from './bulk-check.ts'
import { exitCodes } from './exit-codes.ts'
import { openShop } from './testing/shop.ts'

const head = 'externalReference,amount,currency,country,accountName,accountNumber'
const wage = (number: number, amount = '100.00') =>
  `wage-${number},${amount},KES,KE,"Ali, Juma",+2547123${String(number).padStart(5, '0')}`
const csv = (...lines: string[]) => [head, ...lines, ''].join('\n')

test('a file that runs several times is paid once, and continues where it stopped', async (t) => {
  const { run, file, malipo, merchantId } = await openShop(t)
  const all = Array.from({ length: 230 }, (_, index) => wage(index + 1))

  const first = await run('bulk', file('wages.csv', csv(...all.slice(0, 120))))
  const second = await run('bulk', file('wages.csv', csv(...all)))
  const third = await run('--json', 'bulk', file('wages.csv', csv(...all)))

  assert.equal(first.out, '120 accepted, 0 already accepted, 0 rejected.\n')
  assert.equal(second.out, '110 accepted, 120 already accepted, 0 rejected.\n')
  const { accepted, alreadyAccepted, rejected, notTried } = JSON.parse(third.out) as Record<string, number>
  assert.deepEqual([third.code, accepted, alreadyAccepted, rejected, notTried], [exitCodes.done, 0, 230, 0, 0])
  const [row] = await malipo.ask<{ payouts: string }>(
    `select count(*)::text as payouts from transactions where merchant_id = $1::uuid`,
    [merchantId.slice('mer_'.length)],
  )
  assert.equal(row?.payouts, '230')
})

test('rejected payouts are reported by line, with exit code 1, and the rest is paid', async (t) => {
  const { run, file } = await openShop(t)
  await run('bulk', file('wages.csv', csv(wage(1, '55'))))

  const { code, out, err } = await run('bulk', file('wages.csv', csv(wage(1, '66'), wage(2), wage(3, '9000000'))))

  assert.equal(code, exitCodes.refused)
  assert.match(out, /^1 accepted, 0 already accepted, 2 rejected\.\n\nLINE +REFERENCE +CODE +WHY\n/)
  assert.match(
    out,
    /\n +2 +wage-1 +E-API-D\.S-28 +External reference already used\. It belongs to another payment, txn_/,
  )
  assert.match(out, /\n +4 +wage-3 +AMOUNT_OUT_OF_BOUNDS +/)
  assert.equal(err, '2 of 3 payouts were rejected.\n')
})

test('an invalid file is reported with all its problems, and nothing is sent', async (t) => {
  const { run, file, home } = await openShop(t)

  for (const [text, message] of [
    [csv(), /has no payouts/],
    [`${head},colour\n`, /has no payouts/],
    [`${head},colour\n${wage(1)},red\n`, /has unknown columns: colour\.\nValid columns: externalReference, amount/],
    [csv(wage(1, '12,5')), /line 2: 7 fields, but the first line has 6/],
    [
      csv(wage(1, 'ten'), wage(2, '0')),
      /nothing was sent\.\n {2}line 2: amount ten: It must be a number.*\n {2}line 3: amount 0/,
    ],
    [csv(wage(1), wage(2), wage(1)), /lines 2 and 4 have the same externalReference wage-1/],
    [csv('wage-1,5,KES,KE,,'), /line 2: externalAccountId is missing, or accountName/],
    [csv('wage-1,5,KES,KE,"Ali,'), /cannot be read: line 2: a quote is not closed/],
    [csv(wage(1)).replace('country', 'amount'), /has a column more than once: amount\. Delete one of them/],
    [csv(wage(1).replace('wage-1', 'wage 1')), /line 2: externalReference wage 1 must be 1 to 100 printable ASCII/],
    [`${head},destination\n${wage(1)},Bank Account\n${wage(2)},Paybill\n`, /2: code is missing.*\n.*businessNumber is/],
    [Buffer.from(csv('wage-1,5,KES,KE,José,+254712300001'), 'latin1'), /is not UTF-8: save the file as CSV UTF-8/],
    [Buffer.from(`\uFEFF${csv(wage(1))}`, 'utf16le'), /is UTF-16: save the file as CSV UTF-8/],
    [Buffer.from(csv(wage(1)), 'utf16le'), /is UTF-16: save the file as CSV UTF-8/],
  ] as const) {
    const { code, err } = await run('bulk', file('wages.csv', text))
    assert.equal(code, exitCodes.usage)
    assert.match(err, message)
  }

  const missing = await run('bulk', `${home}/nowhere.csv`)
  const checked = await run('bulk', file('wages.csv', csv(wage(1))), '--dry-run')
  assert.match(missing.err, /nowhere\.csv cannot be read: ENOENT/)
  assert.match(checked.out, /wages\.csv is valid: 1 payout\. Nothing was sent\.\n/)
  assert.equal((await run('transactions', '--json')).out, '[]\n')
})

test('a dry run reports the payouts that an operator would reject, as the payment then does', async (t) => {
  const { run, file } = await openShop(t)
  const lines = [wage(1), wage(2, '9'), wage(3, '250001'), wage(4, '10.50'), wage(5, '10.00')]
  const wages = file('wages.csv', csv(...lines))

  const { code, out, err } = await run('bulk', wages, '--dry-run')
  const json = await run('bulk', wages, '--dry-run', '--json')
  const before = await run('transactions', '--json')
  const paid = await run('bulk', wages, '--json')

  assert.deepEqual([code, err], [exitCodes.refused, '3 of 5 payouts would be rejected.\n'])
  assert.match(
    out,
    /wages\.csv can be read: 5 payouts\. Nothing was sent\.\n\nCURRENCY +PAYOUTS +SUM\nKES +5 +250130\.50\n/,
  )
  assert.match(out, /\n +3 +wage-2 +9 KES is below the minimum of M-Pesa, 10 KES\.\n/)
  assert.match(out, /\n +4 +wage-3 +250001 KES is above the maximum of M-Pesa, 250000 KES\.\n/)
  assert.match(out, /\n +5 +wage-4 +M-Pesa accepts whole amounts only, not 10\.50\.\n/)
  assert.equal(before.out, '[]\n')
  const { refusals, unchecked } = JSON.parse(json.out) as { refusals: { line: number }[]; unchecked: number }
  const { results } = JSON.parse(paid.out) as { results: { line: number; outcome: string }[] }
  assert.deepEqual(
    refusals.map(({ line }) => line),
    results.filter(({ outcome }) => outcome === 'rejected').map(({ line }) => line),
  )
  assert.equal(unchecked, 0)
})

test('a dry run reports what the file alone shows to be wrong, and the payment rejects the same lines', async (t) => {
  const { run, file } = await openShop(t)
  const columns = 'externalReference,amount,currency,country,destination,accountName,accountNumber,code,businessNumber'
  const lines = [
    'good,100,KES,KE,MoMo,Juma,+254712300001,,',
    'currency,100,KSH,KE,MoMo,Juma,+254712300001,,',
    'lower,100,kes,KE,MoMo,Juma,+254712300001,,',
    'country,100,KES,XX,MoMo,Juma,+254712300001,,',
    'national,100,KES,KE,MoMo,Juma,0712300001,,',
    'mismatch,100,KES,KE,MoMo,Juma,+256712300001,,',
    'pair,100,UGX,KE,MoMo,Juma,+254712300001,,',
    'bank,5000,NGN,NG,Bank Account,Ngozi,0690000031,no-bank,',
    'branch,5000,UGX,UG,Bank Account,Okello,0690000031,044,',
    'till,100,KES,KE,Till,Shop,12,,',
    'paybill,100,KES,KE,Paybill,Shop,12,,abc',
    'abroad,100,NGN,NG,Till,Shop,123456,,',
    "exported,100,KES,KE,MoMo,Juma,'+254712300001,,",
  ]
  const wages = file('wages.csv', [columns, ...lines, ''].join('\n'))

  const checked = await run('bulk', wages, '--dry-run', '--json')
  const { results } = JSON.parse((await run('bulk', wages, '--json')).out) as {
    results: { externalReference: string; outcome: string }[]
  }

  const { refusals } = JSON.parse(checked.out) as { refusals: { externalReference: string }[] }
  const rejected = results.filter(({ outcome }) => outcome === 'rejected')
  const names = (all: readonly { externalReference: string }[]) => all.map((each) => each.externalReference)
  assert.deepEqual(names(refusals), names(rejected))
  assert.deepEqual(
    names(results.filter(({ outcome }) => outcome === 'accepted')),
    ['good', 'exported'],
    JSON.stringify(results),
  )
})

test('a dry run counts payouts accepted before, and reports used references and an empty wallet', async (t) => {
  const { run, file } = await openShop(t)
  await run('bulk', file('wages.csv', csv(wage(1), wage(2, '55'))))
  const [wallet] = JSON.parse((await run('balance', '--currency', 'KES', '--json')).out) as { available: number }[]
  const most = Array.from({ length: Math.floor((wallet?.available ?? 0) / 250_000) }, (_, at) =>
    wage(at + 10, '250000'),
  )
  const wages = file('wages.csv', csv(wage(1), wage(2, '66'), ...most, wage(3, '250000')))

  const { code, out } = await run('bulk', wages, '--dry-run')

  assert.equal(code, exitCodes.refused)
  assert.match(out, /\n +3 +wage-2 +External reference already used\. It belongs to another payment, txn_/)
  assert.match(out, /\n +\d+ +wage-3 +The KES wallet has [\d.]+ KES available, not enough for this one too\.\n/)
  assert.match(out, /Malipo would reject 2:/)
  assert.match(out, /\n\nAccepted before and not paid again: 1\.\n/)
})

test('a reference is already accepted only if every field of the line is the same', async (t) => {
  const { run, file } = await openShop(t)
  await run('bulk', file('wages.csv', csv(wage(1))))
  const outcomeOf = async (line: string) => {
    const { out } = await run('bulk', file('wages.csv', csv(line)), '--json')
    return (JSON.parse(out) as { results: { outcome: string }[] }).results[0]?.outcome
  }

  assert.equal(await outcomeOf(wage(1)), 'already accepted')
  assert.equal(await outcomeOf(wage(1).replace('+2547', '2547')), 'already accepted')
  assert.equal(await outcomeOf(wage(1).replace('Ali, Juma', 'Ali, Musa')), 'rejected')
  assert.equal(await outcomeOf(wage(1).replace('+2547', '+2541')), 'rejected')
  assert.equal(await outcomeOf(wage(1, '100.01')), 'rejected')
})

test('a dry run totals each currency, reads semicolons, and counts what it cannot check', async (t) => {
  const { run, as, file } = await openShop(t)
  const text = [
    head.replaceAll(',', ';'),
    'wage-1;100;KES;KE;"Ali; Juma";+254712300001',
    'wage-2;0.10;NGN;NG;Ngozi;+2348000000000',
    'wage-3;0.20;NGN;NG;Ngozi;+2348000000000',
  ]

  const { out } = await run('bulk', file('wages.csv', text.join('\r\n')), '--dry-run', '--json')
  const account = file('accounts.csv', 'externalReference,amount,externalAccountId\nwage-1,5,ea_1\n')
  const unknown = await run('bulk', account, '--dry-run')
  const repeated = await run('bulk', file('twice.csv', csv(wage(1), wage(1))), '--dry-run')
  const away = await as({ MALIPO_URL: 'http://127.0.0.1:4' })('bulk', account, '--dry-run')

  assert.deepEqual((JSON.parse(out) as { totals: unknown }).totals, [
    { currency: 'KES', payouts: 1, sum: '100' },
    { currency: 'NGN', payouts: 2, sum: '0.30' },
  ])
  assert.equal(unknown.code, exitCodes.done, unknown.err)
  assert.match(unknown.out, /\nthe account's +1 +5\n\nLimits of 1 are not checked: /)
  assert.equal(repeated.code, exitCodes.usage)
  assert.match(repeated.err, /lines 2 and 3 have the same externalReference wage-1/)
  assert.equal(away.code, exitCodes.unreachable)
})

test('with a live key pair a dry run needs no --live, and the payment does', async (t) => {
  const { as, file, malipo, merchantId } = await openShop(t)
  const { publicKey, apiKey } = await malipo.operator.keys.create(merchantId, { env: 'live' })
  const live = as({ MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey })
  const wages = file('wages.csv', csv(wage(1)))

  const checked = await live('bulk', wages, '--dry-run')
  const paid = await live('bulk', wages)

  // This Malipo has no live provider, so the check itself finds that.
  assert.equal(checked.code, exitCodes.refused, checked.err)
  assert.match(checked.out, /\n +2 +wage-1 +M-Pesa does not accept payments at the moment\.\n/)
  assert.equal(paid.code, exitCodes.usage)
  assert.match(paid.err, /Add --live to confirm/)
})

test('a sum of amounts is exact', () => {
  assert.equal(exactSum(['0.1', '0.20', '0']), '0.30')
  assert.equal(exactSum(['999999999999999', '1']), '1000000000000000')
  assert.equal(exactSum(['0.01']), '0.01')
  assert.equal(exactSum(['123456789012.345', '0.655']), '123456789013.000')
})

test('a lost Malipo or Ctrl-C stops bulk, which reports what is done and how to continue', async (t) => {
  const { as, file } = await openShop(t)
  const interrupt = new AbortController()
  interrupt.abort()
  const wages = file('wages.csv', csv(wage(1), wage(2)))

  const away = await as({ MALIPO_URL: 'http://127.0.0.1:4' })('bulk', wages)
  const interrupted = await as({}, { signal: interrupt.signal })('bulk', wages)

  assert.deepEqual([away.code, interrupted.code], [exitCodes.unreachable, exitCodes.interrupted])
  assert.match(away.out, /^0 accepted, 0 already accepted, 0 rejected, 2 not tried\.\n$/)
  assert.match(away.err, /^Stopped: Cannot reach Malipo at http:\/\/127\.0\.0\.1:4.*\nRun the same command again: /)
  assert.match(interrupted.err, /^Stopped: Interrupted\.\nRun the same command again: /)
})
