import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attempt, createSignInThrottle } from './throttle.ts'

const guesser: Attempt = { address: '203.0.113.5', account: 'a', isFamiliar: false }
const wrong = { isPasswordRight: false }

test('each failure after the fifth doubles the delay, up to 30 seconds, for address and account', () => {
  const throttle = createSignInThrottle(() => 0)
  const delays = Array.from({ length: 14 }, () => {
    throttle.fail(guesser, wrong)
    return throttle.delayMs(guesser)
  })

  assert.deepEqual(delays, [0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  assert.equal(throttle.delayMs({ ...guesser, account: 'b' }), 30_000)
  assert.equal(throttle.delayMs({ ...guesser, address: '198.51.100.7' }), 30_000)
  assert.equal(throttle.delayMs({ address: '198.51.100.7', account: 'b', isFamiliar: false }), 0)
})

test('from an address where the person signed in before, guessing elsewhere causes no delay', () => {
  const throttle = createSignInThrottle(() => 0)
  const own: Attempt = { address: '198.51.100.7', account: 'a', isFamiliar: true }
  for (let times = 0; times < 100; times += 1) throttle.fail(guesser, { isPasswordRight: true })
  for (let times = 0; times < 100; times += 1) throttle.fail({ ...own, account: 'b', isFamiliar: false }, wrong)

  assert.equal(throttle.delayMs(own), 0)
  for (let times = 0; times < 6; times += 1) throttle.fail(own, wrong)
  assert.equal(throttle.delayMs(own), 500)
  throttle.succeed(own)
  assert.equal(throttle.delayMs(own), 0)
})

test('ten wrong codes with the right password delay every other address by 30 seconds', () => {
  const throttle = createSignInThrottle(() => 0)
  const from = (number: number): Attempt => ({ address: `203.0.113.${number}`, account: 'a', isFamiliar: false })
  for (let number = 0; number < 10; number += 1) throttle.fail(from(number), { isPasswordRight: true })

  assert.equal(throttle.delayMs(from(99)), 30_000)
})

test('while codes are guessed, one attempt from unfamiliar addresses waits at a time', async () => {
  const ends: (() => void)[] = []
  const throttle = createSignInThrottle(
    () => 0,
    () => new Promise<void>((resolve) => ends.push(resolve)),
  )
  const from = (number: number): Attempt => ({ address: `2001:db8:${number}::1`, account: 'a', isFamiliar: false })
  for (let number = 0; number < 10; number += 1) throttle.fail(from(number), { isPasswordRight: true })

  const first = throttle.admit(from(11))
  await assert.rejects(throttle.admit(from(12)), { key: 'RATE_LIMIT_EXCEEDED' })
  await throttle.admit({ ...from(13), isFamiliar: true })
  for (const end of ends) end()
  await first
  const next = throttle.admit(from(12))
  for (const end of ends) end()
  await next
})

test('a waiting sender may not wait twice, and one address only eight times', async () => {
  const end = Promise.withResolvers<void>()
  const throttle = createSignInThrottle(
    () => 0,
    () => end.promise,
  )
  for (let times = 0; times < 9; times += 1) throttle.fail(guesser, wrong)

  const waiting = Array.from({ length: 8 }, (_, number) => throttle.admit({ ...guesser, account: String(number) }))
  const limited = { key: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '4' } }
  await assert.rejects(throttle.admit({ ...guesser, account: '0' }), limited)
  await assert.rejects(throttle.admit({ ...guesser, account: '8' }), limited)
  end.resolve()
  await Promise.all(waiting)

  await throttle.admit({ ...guesser, account: '8' })
})

test('failures are forgotten 15 minutes after the last', () => {
  let now = 0
  const throttle = createSignInThrottle(() => now)
  for (let times = 0; times < 9; times += 1) throttle.fail(guesser, wrong)

  now = 15 * 60_000 - 1
  assert.equal(throttle.delayMs(guesser), 4000)
  now += 1

  assert.equal(throttle.delayMs(guesser), 0)
})
