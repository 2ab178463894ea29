import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exitCodes } from './exit-codes.ts'
import { openShop } from './testing/shop.ts'

test('an exported file has what the command prints, when it is complete, and for its owner only', async (t) => {
  const { run, home } = await openShop(t)
  await run('charge', 'momo', '--amount', '100', '--currency', 'KES', '--phone', '+254703456789')
  const file = join(home, 'all.csv')

  const { code } = await run('export', 'transactions', '--output', file)
  const printed = await run('export', 'transactions')

  assert.equal(code, exitCodes.done)
  const [header, record, ...rest] = readFileSync(file, 'utf8').split('\r\n')
  assert.match(header ?? '', /^transactionId,/)
  assert.match(record ?? '', /^txn_.*,deposit,/)
  assert.deepEqual(rest, [''])
  assert.equal(printed.out.split('\n').length, 3)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('a file that cannot be written is named, and an export that is refused leaves none', async (t) => {
  const { run, home } = await openShop(t)
  mkdirSync(join(home, 'taken'))

  const missing = await run('export', 'transactions', '--output', join(home, 'missing', 'all.csv'))
  const taken = await run('export', 'transactions', '--output', join(home, 'taken'))
  const refused = await run('export', 'transactions', '--currency', 'KSH', '--output', join(home, 'ksh.csv'))

  assert.deepEqual([missing.code, taken.code], [exitCodes.usage, exitCodes.usage])
  assert.match(missing.err, /missing\/all\.csv cannot be written: ENOENT/)
  assert.match(taken.err, /taken cannot be written: EISDIR/)
  assert.match(refused.err, /KSH is not a currency/)
  assert.deepEqual(readdirSync(home), ['taken'])
})
