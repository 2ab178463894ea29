import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv } from './csv.ts'
import { exitCodes } from './exit-codes.ts'
import { openShop } from './testing/shop.ts'

test('transactions list selects by reference and prints CSV', async (t) => {
  const { run } = await openShop(t)
  const pay = (reference: string, amount: string) => {
    const to = ['--country', 'KE', '--to', '+254712345678', '--name', 'Juma Ali']
    return run('pay', '--amount', amount, '--currency', 'KES', ...to, '--reference', reference, '--json')
  }
  const { transactionId } = JSON.parse((await pay('wage-1', '300')).out) as { transactionId: string }
  await pay('wage-2', '400')

  const one = await run('transactions', '--reference', 'wage-1', '--json')
  const none = await run('transactions', '--reference', 'wage-9')
  const all = await run('transactions', 'list', '--csv')
  const empty = await run('transactions', '--reference', 'wage-9', '--csv')

  assert.deepEqual(
    (JSON.parse(one.out) as { transactionId: string }[]).map((each) => each.transactionId),
    [transactionId],
  )
  assert.deepEqual([none.code, none.out], [exitCodes.done, 'No transactions match.\n'])
  const head = ['at', 'transactionId', 'type', 'amount', 'currency', 'status', 'destination', 'accountNumber']
  const [first, newest, oldest, ...rest] = readCsv(all.out).map(({ fields }) => fields)
  assert.deepEqual([first, rest], [head, []])
  assert.deepEqual([newest?.[3], oldest?.slice(1, 5)], ['400', [transactionId, 'payout', '300', 'KES']])
  assert.deepEqual(oldest?.length, head.length)
  assert.equal(empty.out, `${head.join(',')}\n`)
})
