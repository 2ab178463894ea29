import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forbiddenAddresses, publicAddresses } from '../testing/ssrf-cases.ts'
import { createPermit, forbiddenRanges } from './forbidden-addresses.ts'

const permit = createPermit([])

test('every forbidden range is closed at its first, middle and last address', () => {
  for (const address of [...forbiddenAddresses.ipv4, ...forbiddenAddresses.ipv6])
    assert.equal(permit(address), undefined, address)
})

test('the public internet starts right beside the forbidden ranges', () => {
  for (const address of publicAddresses) assert.equal(permit(address), address)
})

/** The ranges again, as plain numbers, independent of the system's address functions. */
const spans = Object.keys(forbiddenRanges.ipv4).map((range) => {
  const [address = '', bits = ''] = range.split('/')
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return [first, first + 2 ** (32 - Number(bits))] as const
})

test('exactly the IPv4 addresses in a forbidden range are refused', () => {
  const near = fc.constantFrom(...spans.flat()).chain((edge) => fc.integer({ min: edge - 2, max: edge + 2 }))
  fc.assert(
    fc.property(fc.oneof(near, fc.integer({ min: 0, max: 2 ** 32 - 1 })), (value) => {
      fc.pre(value >= 0 && value < 2 ** 32)
      const address = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')

      assert.equal(
        permit(address) === undefined,
        spans.some(([first, end]) => value >= first && value < end),
        address,
      )
    }),
    { numRuns: 2000 },
  )
})

test('no IPv6 address outside 2000::/3 is permitted', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 65_535 }), { minLength: 8, maxLength: 8 }), (groups) => {
      const address = groups.map((group) => group.toString(16)).join(':')

      if (((groups[0] ?? 0) & 0xe000) !== 0x2000) assert.equal(permit(address), undefined, address)
    }),
    { numRuns: 2000 },
  )
})

test('an address is returned in the form that sockets use', () => {
  assert.equal(permit('2606:4700:0000::0:1111'), '2606:4700::1111')
  assert.equal(permit('2A00:1450::'), '2a00:1450::')
})

test('text that is not an address, or has a zone, is refused even if everything is allowed', () => {
  const everything = createPermit(['0.0.0.0/0', '::/0'])

  for (const text of ['', 'localhost', '1.2.3', '0x7f.1', '01.2.3.4', '1.2.3.4/8', '[::1]', 'fe80::1%eth0', '1.2.3.4 '])
    assert.equal(everything(text), undefined, text)
  assert.equal(everything('10.1.2.3'), '10.1.2.3')
  assert.equal(everything('::1'), '::1')
})

test('an allowed range permits itself and no other notation of it', () => {
  const lifted = createPermit(['127.0.0.0/8', 'fd12::/16', '10.1.2.3'])

  for (const address of ['127.0.0.1', '127.255.255.255', 'fd12::1', '10.1.2.3']) assert.equal(lifted(address), address)
  for (const address of ['10.1.2.4', '::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '::1', 'fd13::1'])
    assert.equal(lifted(address), undefined, address)
})

test('the operator can allow only valid ranges', () => {
  for (const range of ['localhost', '10.0.0.0/33', '10.0.0.0/8/8', ''])
    assert.throws(() => createPermit([range]), /range/)
})
