import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { operations } from './generated/api.ts'
import { Malipo, MalipoError } from './index.ts'

const pair = { publicKey: 'pk_test_x', apiKey: 'sk_test_secret', baseUrl: 'https://pay.example' }

test('a client with invalid options is refused at construction, with the reason', () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ publicKey: '' }, /publicKey is missing/],
    [{ apiKey: undefined }, /apiKey is missing/],
    [{ baseUrl: undefined }, /baseUrl is missing/],
    [{ baseUrl: 'pay.example' }, /baseUrl must be a URL/],
    [{ environment: 'live' }, /environment is live, but publicKey belongs to sandbox/],
    [{ publicKey: 'pk_live_x', environment: 'sandbox' }, /environment is sandbox, but publicKey belongs to live/],
  ]
  for (const [over, message] of wrong)
    assert.throws(
      () => new Malipo({ ...pair, ...over }),
      (error: Error) => {
        assert.ok(error instanceof MalipoError)
        assert.match(error.message, message)
        return true
      },
    )
})

test('the key pair determines the environment', () => {
  assert.equal(new Malipo(pair).environment, 'sandbox')
  assert.equal(new Malipo({ ...pair, publicKey: 'pk_live_x', environment: 'live' }).environment, 'live')
})

test('a printed client shows no key', () => {
  const malipo = new Malipo(pair)

  assert.ok(!inspect(malipo, { depth: null, showHidden: true }).includes('sk_test_secret'))
  assert.ok(!JSON.stringify(malipo).includes('sk_test_secret'))
})

test('every operation of the API can be called through the SDK', () => {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const text = names.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n')

  assert.deepEqual(
    Object.keys(operations).filter((name) => !text.includes(`'${name}'`)),
    [],
  )
})
