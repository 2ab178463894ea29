import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameMatch } from './name-match.ts'

test('names match by their words, in any order, case and accents', () => {
  for (const same of ['Amina Otieno', 'OTIENO AMINA', ' amina  otiénó ', 'Otieno, Amina'])
    assert.equal(nameMatch(same, 'Amina Otieno'), 1, same)
})

test('a missing, misspelt or abbreviated word lowers the match, and other names have none', () => {
  assert.equal(nameMatch('Amina', 'Amina Otieno'), 0.67)
  assert.equal(nameMatch('Amina Otienno', 'Amina Otieno'), 0.95)
  assert.equal(nameMatch('A. Otieno', 'Amina Otieno'), 0.75)
  assert.equal(nameMatch('Amina Amina', 'Amina Otieno'), 0.5)
  assert.equal(nameMatch('Zbigniew Xyz', 'Amina Otieno'), 0)
  assert.equal(nameMatch('', 'Amina Otieno'), 0)
})
