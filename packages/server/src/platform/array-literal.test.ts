import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../dev-stack/servers.ts'
import { arrayLiteral } from './array-literal.ts'

test('PostgreSQL reads every array element back unchanged', async (t) => {
  const client = new pg.Client({ connectionString: (await testDatabase()).loginUrl })
  await client.connect()
  t.after(() => client.end())
  const read = async (type: string, elements: Parameters<typeof arrayLiteral>[0]) => {
    const { rows } = await client.query(`select $1::${type}[] as kept`, [arrayLiteral(elements)])
    return (rows as { kept: unknown }[])[0]?.kept
  }
  const texts = ['plain', 'plain', '', 'null', 'NULL', null, null, 'a,b', '{}', 'say "x"', 'back\\slash', ' spaced ']
  const others = ['\t', '\n', '\u00a0', "it's", 'ƒ😀', '$&', '$1', '\\"', '%s', '}{', '"']
  assert.deepEqual(await read('text', [...texts, ...others]), [...texts, ...others])
  assert.deepEqual(await read('text', []), [])
  assert.deepEqual(await read('text', ['']), [''])
  assert.deepEqual(await read('text', ['', '', 'x']), ['', '', 'x'])
  assert.deepEqual(await read('text', [null, 'x']), [null, 'x'])
  assert.deepEqual(await read('bigint', [9_223_372_036_854_775_807n, -1n]), ['9223372036854775807', '-1'])
  assert.deepEqual(await read('boolean', [true, false, null]), [true, false, null])
  assert.deepEqual(await read('smallint', [1, 0, -3]), [1, 0, -3])
  const at = new Date('2026-11-15T17:33:15.123Z')
  assert.deepEqual(await read('timestamptz', [at, null]), [at, null])
  const providerStatus = { providerStatus: 'a "word", {here}', path: 'c:\\x', nothing: null }
  assert.deepEqual(await read('jsonb', [JSON.stringify(providerStatus), null]), [providerStatus, null])
})
