import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { testMalipo } from '../testing/malipo.ts'
import { type Attempt, createSignInThrottle } from './throttle.ts'

const wrong = { isPasswordRight: false }
const addresses = { guesser: '203.0.113.5', other: '198.51.100.7' }

async function setUp(t: TestContext, sleep?: () => Promise<unknown>) {
  const { ctx, ask } = await testMalipo(t)
  await ask('delete from sign_in_failures')
  const guesser: Attempt = { address: addresses.guesser, account: randomUUID(), isFamiliar: false }
  const create = () => createSignInThrottle(ctx.db.write, sleep)
  return { ask, create, throttle: create(), guesser }
}

test('each failure after the fifth doubles the delay, up to 30 seconds, for address and account', async (t) => {
  const { throttle, guesser } = await setUp(t)
  const delays: number[] = []
  for (let times = 0; times < 14; times += 1) {
    await throttle.fail(guesser, wrong)
    delays.push(await throttle.delayMs(guesser))
  }

  assert.deepEqual(delays, [0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  assert.equal(await throttle.delayMs({ ...guesser, account: 'b' }), 30_000)
  assert.equal(await throttle.delayMs({ ...guesser, address: addresses.other }), 30_000)
  assert.equal(await throttle.delayMs({ address: addresses.other, account: 'b', isFamiliar: false }), 0)
})

test('failures in two processes count together', async (t) => {
  const [one, two] = [await testMalipo(t), await testMalipo(t)]
  await one.ask('delete from sign_in_failures')
  const attempt = { address: addresses.guesser, account: randomUUID(), isFamiliar: false }
  const throttles = [one.ctx.signIn.throttle, two.ctx.signIn.throttle]
  for (let times = 0; times < 4; times += 1)
    await Promise.all(throttles.map((throttle) => throttle.fail(attempt, wrong)))

  assert.deepEqual(await Promise.all(throttles.map((throttle) => throttle.delayMs(attempt))), [2000, 2000])
})

test('from an address where the person signed in before, guessing elsewhere causes no delay', async (t) => {
  const { throttle, guesser } = await setUp(t)
  const own: Attempt = { ...guesser, address: addresses.other, isFamiliar: true }
  for (let times = 0; times < 20; times += 1) {
    await throttle.fail(guesser, { isPasswordRight: true })
    await throttle.fail({ ...own, account: 'b', isFamiliar: false }, wrong)
  }

  assert.equal(await throttle.delayMs(own), 0)
  for (let times = 0; times < 6; times += 1) await throttle.fail(own, wrong)
  assert.equal(await throttle.delayMs(own), 500)
  await throttle.succeed(own)
  assert.equal(await throttle.delayMs(own), 0)
})

test('ten wrong codes with the right password delay every other address by 30 seconds', async (t) => {
  const { throttle, guesser } = await setUp(t)
  const from = (number: number): Attempt => ({ ...guesser, address: `203.0.113.${number}` })
  for (let number = 10; number < 20; number += 1) await throttle.fail(from(number), { isPasswordRight: true })

  assert.equal(await throttle.delayMs(from(99)), 30_000)
})

test('while codes are guessed, one attempt waits at a time, from however many addresses', async (t) => {
  const { throttle, create, guesser } = await setUp(t, async () => undefined)
  const from = (number: number): Attempt => ({ ...guesser, address: `2001:db8:${number}::1` })
  for (let number = 10; number < 20; number += 1) await throttle.fail(from(number), { isPasswordRight: true })

  await throttle.admit(from(30), 30_000)

  await assert.rejects(create().admit(from(31), 30_000), { key: 'RATE_LIMIT_EXCEEDED' })
  await throttle.admit({ ...from(32), isFamiliar: true }, 250)
})

test('a waiting sender may not wait twice, in any process, and one address only eight times', async (t) => {
  const end = Promise.withResolvers<void>()
  let asleep = 0
  const { throttle, create, guesser } = await setUp(t, () => {
    asleep += 1
    return end.promise
  })
  const delayMs = 4000
  const accounts = Array.from({ length: 9 }, () => randomUUID())

  const waiting = accounts.slice(1).map((account) => throttle.admit({ ...guesser, account }, delayMs))
  await until('eight attempts to wait', async () => asleep === 8)
  const limited = { key: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '4' } }
  const [ninth = '', first = ''] = accounts
  await assert.rejects(create().admit({ ...guesser, account: first }, delayMs), limited)
  await assert.rejects(throttle.admit({ ...guesser, account: ninth }, delayMs), limited)
  end.resolve()
  await Promise.all(waiting)

  await throttle.admit({ ...guesser, account: ninth }, delayMs)
})

test('of many attempts at once in two processes one waits', async (t) => {
  const { throttle, create, guesser } = await setUp(t, async () => undefined)
  const throttles = [throttle, create()]

  const admitted = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => throttles[index % 2]?.admit(guesser, 30_000)),
  )

  assert.equal(admitted.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('failures are forgotten 15 minutes after the last, and their rows are deleted', async (t) => {
  const { throttle, guesser, ask } = await setUp(t)
  t.after(() => ask(`update clock_offset set ahead = '0'`))
  for (let times = 0; times < 9; times += 1) await throttle.fail(guesser, wrong)

  await ask(`update clock_offset set ahead = '14 minutes 50 seconds'`)
  assert.equal(await throttle.delayMs(guesser), 4000)
  await ask(`update clock_offset set ahead = '15 minutes 1 second'`)

  assert.equal(await throttle.delayMs(guesser), 0)
  await throttle.fail({ ...guesser, account: 'b', address: addresses.other }, wrong)
  const left = await ask<{ key: string }>('select key from sign_in_failures where key like $1', [
    `%${guesser.account}%`,
  ])
  assert.deepEqual(left, [])
})
