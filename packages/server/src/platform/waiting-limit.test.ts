import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppError } from '../errors.ts'
import { createWaitingLimit } from './waiting-limit.ts'

test('waiting calls are limited per key, and a failed call frees its slot', async () => {
  const limited = createWaitingLimit(2)
  const { promise, reject } = Promise.withResolvers<string>()
  const waiting = [1, 2].map(() => limited('a', () => promise))

  await assert.rejects(
    limited('a', async () => 'one too many'),
    (error: AppError) => error.key === 'RATE_LIMIT_EXCEEDED',
  )
  assert.equal(await limited('b', async () => 'another key'), 'another key')
  reject(new Error('the provider is away'))
  await Promise.allSettled(waiting)
  assert.equal(await limited('a', async () => 'again'), 'again')
})
