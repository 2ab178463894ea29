import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { quote } from '../../server/src/testing/paying.ts'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'
import { openShop } from './testing/shop.ts'

async function shopWithRates(t: TestContext) {
  const { malipo, variables } = await openShop(t)
  await malipo.ask('delete from rates')
  await quote(malipo, 'USD/KES', '128.50', '130.25')
  return commandLine(variables)
}

const payee = ['--currency', 'KES', '--country', 'KE', '--to', '+254712345678', '--name', 'Juma Ali']

test('a payout is quoted and then paid at that price', async (t) => {
  const run = await shopWithRates(t)

  const shown = await run('quote', '--amount', '1000', ...payee, '--debit-currency', 'USD', '--debit-country', 'KE')
  assert.match(shown.out, /^Paying 1,?000(\.00)? KES takes 7\.87 USD, of which 0\.08 USD is the fee\./)
  const quoteId = /qt_[0-9a-f]+/.exec(shown.out)?.[0] ?? ''
  const other = await run('pay', '--quote', quoteId, '--amount', '999', '--currency', 'KES')
  const paid = await run('pay', '--quote', quoteId, '--amount', '1000', '--currency', 'KES', '--reference', 'quoted-1')

  assert.equal(other.code, exitCodes.refused)
  assert.match(other.err, /QUOTE_MISMATCH/)
  assert.equal(paid.code, exitCodes.done, paid.err)
})

test('a conversion is priced by a dry run, and made by its options or by its quote', async (t) => {
  const run = await shopWithRates(t)
  const sides = ['--from', 'KES', '--to', 'USD', '--to-country', 'KE', '--amount', '2000']

  const price = await run('convert', ...sides, '--dry-run')
  const quoteId = /qt_[0-9a-f]+/.exec(price.out)?.[0] ?? ''
  const made = await run('convert', ...sides)
  const quoted = await run('--json', 'convert', '--quote', quoteId, '--reference', 'treasury-1')

  assert.match(price.out, /^2,?000(\.00)? KES convert to 15\.35 USD\./)
  assert.match(made.out, /^Converted 2,?000(\.00)? KES to 15\.35 USD\./)
  assert.equal((JSON.parse(quoted.out) as { toAmount: number }).toAmount, 15.35)
})

test('a quote or a conversion without what it needs is a usage error', async (t) => {
  const run = await shopWithRates(t)

  for (const args of [
    ['quote', ...payee],
    ['quote', '--amount', '5', '--debit-amount', '5', ...payee],
    ['quote', '--amount', '5', '--currency', 'KES'],
    ['convert', '--from', 'KES', '--amount', '5'],
    ['convert', '--from', 'KES', '--to', 'USD'],
    ['convert', '--quote', 'qt_1', '--amount', '5'],
  ])
    assert.equal((await run(...args)).code, exitCodes.usage, args.join(' '))
})
