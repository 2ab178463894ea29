import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPhone } from './phones.ts'

test('a mobile number is accepted with and without its plus, blanks and dashes', () => {
  for (const text of ['+254703456789', '254703456789', '+254 703-456 789', '+254 (703) 456.789'])
    assert.deepEqual(readPhone(text), { e164: '+254703456789', country: 'KE', national: '703456789' })
})

test("Benin's numbers are accepted in their old form of eight digits", () => {
  assert.equal(readPhone('22951345789')?.e164, '+2290151345789')
  assert.equal(readPhone('+2290151345789')?.e164, '+2290151345789')
})

test('text that is not a mobile number in international form is refused', () => {
  const wrong = [
    '',
    '12',
    '+2547',
    '0712345678',
    '+254203456789',
    '+999123456789',
    'abc',
    '+25470345678９',
    '+254703456789;1',
  ]
  for (const text of wrong) assert.equal(readPhone(text), undefined, text)
})
