import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowing, countedAs, isRange } from './addresses.ts'

test('an empty list allows every address', () => {
  assert.ok(allowing([])('203.0.113.9'))
})

test('a range allows the addresses in it and no other', () => {
  const isAllowed = allowing(['203.0.113.0/28', '198.51.100.7/32', '2001:db8:1::/48'])

  for (const inside of ['203.0.113.0', '203.0.113.15', '198.51.100.7', '2001:db8:1:ffff::1', '::ffff:203.0.113.3'])
    assert.ok(isAllowed(inside), inside)
  for (const outside of ['203.0.113.16', '198.51.100.8', '2001:db8:2::1', '::ffff:203.0.113.16', '127.0.0.1'])
    assert.ok(!isAllowed(outside), outside)
})

test('failures of one IPv6 network are counted together, however its addresses are written', () => {
  const same = ['2001:db8:0:1::1', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::']

  assert.equal(new Set(same.map(countedAs)).size, 1)
  assert.notEqual(countedAs('2001:db8:0:2::1'), countedAs('2001:db8:0:1::1'))
})

test('an IPv4 address is counted the same on either kind of socket', () => {
  assert.equal(countedAs('::ffff:192.0.2.1'), countedAs('192.0.2.1'))
  assert.notEqual(countedAs('192.0.2.1'), countedAs('192.0.2.2'))
})

test('an address or a range is recognised, and other text is not', () => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '::1', '2001:db8::/32', '::/128'])
    assert.ok(isRange(text), text)
  for (const text of [
    '',
    '/',
    '10.0.0.0/33',
    '10.0.0/8',
    'localhost',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
  ])
    assert.ok(!isRange(text), text)
})
