import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { breachesOf } from './banned-words.ts'
import { readTree } from './tidy.ts'

const tree = readTree(join(import.meta.dirname, '../..'))
const found = (text: string, path = 'a.ts') => breachesOf([{ path, text }]).map((breach) => breach.found)

test('no file has a banned word', () => {
  const breaches = breachesOf(tree)

  assert.ok(tree.length > 500)
  assert.deepEqual(
    breaches.map(({ path, line, found: word, instead }) => `${path}:${line} has "${word}": ${instead}`),
    [],
  )
})

test('a planted word is found in prose, strings, comments and names, with its line', () => {
  assert.deepEqual(found('// Nobody reads this.'), ['nobody'])
  assert.deepEqual(found('const isTold = true'), ['told'])
  assert.deepEqual(found('sent_so_long'), ['so long'])
  assert.deepEqual(found(`log.warn('the provider comes round')`), ['comes round'])
  assert.deepEqual(found('The amount is no number.', 'docs/a.md'), ['is no number'])
  assert.deepEqual(found('select * from errands', 'a.sql'), ['errands'])
  assert.deepEqual(found('it-goes-on'), ['goes on'])
  assert.deepEqual(breachesOf([{ path: 'a.ts', text: 'fine\nanew\n' }])[0], {
    path: 'a.ts',
    line: 2,
    found: 'anew',
    instead: 'again',
  })
})

test('usual words that contain a banned one pass', () => {
  for (const text of [
    'recommended, health, amendment, recommendsTo',
    'it is no longer open, and there is no other',
    'the body is well-formed and the size is well below it',
    'for good reason',
    'string, spelling, retell',
  ])
    assert.deepEqual(found(text), [], text)
  assert.deepEqual(found('whoever', 'package-lock.json'), [])
})
