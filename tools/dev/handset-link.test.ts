import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qrCode } from '../../packages/server/src/platform/qr-code.ts'
import { lanAddress, terminalQr } from './handset-link.ts'

test('a code in the terminal has every module of the code, with a light border of two', () => {
  const url = 'http://192.168.1.20:8080/handset#+254703456789'

  const rows = terminalQr(url)
    .split('\n')
    .flatMap((line) => [
      [...line].map((sign) => sign === ' ' || sign === '▄'),
      [...line].map((sign) => sign === ' ' || sign === '▀'),
    ])

  const modules = qrCode(url) ?? []
  const size = modules.length + 4
  const inner = rows.slice(2, 2 + modules.length).map((row) => row.slice(2, 2 + modules.length))
  assert.deepEqual(inner, modules)
  assert.ok([rows[0], rows[1], rows[size - 2]].every((row) => row?.every((isDark) => !isDark)))
  assert.ok(rows.slice(0, size).every((row) => !row[0] && !row[1] && !row[size - 1]))
})

test('the address in the local network is an external IPv4 address, or none', () => {
  const at = (address: string, family: 'IPv4' | 'IPv6', internal: boolean) => {
    return { address, family, internal, netmask: '', mac: '', cidr: null, scopeid: 0 }
  }
  const loopback = at('127.0.0.1', 'IPv4', true)

  assert.equal(lanAddress({ lo: [loopback] as never }), undefined)
  const others = [at('fe80::1', 'IPv6', false), at('169.254.3.4', 'IPv4', false), at('192.168.1.20', 'IPv4', false)]
  assert.equal(lanAddress({ lo: [loopback], eth0: others } as never), '192.168.1.20')
})
