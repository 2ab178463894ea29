import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellMax, cellOf, newId, readId, showId } from './ids.ts'

const at = Date.UTC(2026, 10, 15)

test('an id is a UUID of version 7 that starts with its millisecond', () => {
  const id = newId(at, 5)

  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), at)
})

test('an id names the cell that created it, from the first cell to the last', () => {
  for (const cell of [0, 1, 0x123, cellMax]) assert.equal(cellOf(newId(at, cell)), cell)
})

test('ten thousand ids of one millisecond are all different', () => {
  const ids = new Set(Array.from({ length: 10_000 }, () => newId(at, 0)))

  assert.equal(ids.size, 10_000)
})

test('a shown id reads back as itself', () => {
  const id = newId(at, 9)

  assert.equal(readId('merchant', showId('merchant', id)), id)
})

test('a text that is not an id of the requested kind is not read', () => {
  const shown = showId('merchant', newId(at, 0))

  for (const text of ['', 'mer_', 'unknown', shown.slice(0, -1), `${shown}_1`, shown.toUpperCase()])
    assert.equal(readId('merchant', text), undefined, text)
  assert.equal(readId('credential', shown), undefined)
})
