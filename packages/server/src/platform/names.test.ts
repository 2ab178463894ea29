import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Saying, startNameServer } from '../testing/name-server.ts'
import { createLookup } from './names.ts'

const hostsPath = '/nowhere'

test('both address families are queried again at every lookup', async (t) => {
  let last = 0
  const { address, questions } = await startNameServer(t, () => {
    last += 1
    return { a: [`93.184.216.${last}`], aaaa: [`2606:4700::${last}`] }
  })
  const lookup = createLookup({ servers: [address], hostsPath })

  const first = await lookup('shop.example')
  const second = await lookup('shop.example')

  assert.equal(first.length, 2)
  assert.notDeepEqual(first, second)
  assert.deepEqual(questions.slice(0, 2).sort(), ['a shop.example', 'aaaa shop.example'])
  assert.equal(questions.length, 4)
})

test('a name is queried as given, without a search domain', async (t) => {
  const { address, questions } = await startNameServer(t, () => 'missing')

  await assert.rejects(createLookup({ servers: [address], hostsPath })('db'), { code: 'ENOTFOUND' })
  assert.deepEqual(new Set(questions), new Set(['a db', 'aaaa db']))
})

for (const [about, four, six, expected] of [
  ['IPv4 alone', { a: ['93.184.216.34'] }, {}, ['93.184.216.34']],
  ['IPv6 alone', {}, { aaaa: ['2606:4700::1111'] }, ['2606:4700::1111']],
  ['one family, while the other’s question breaks', { a: ['93.184.216.34'] }, 'broken', ['93.184.216.34']],
  ['nothing', {}, {}, []],
  ['nothing, and a break', {}, 'broken', 'ESERVFAIL'],
  ['no such name', 'missing', 'missing', 'ENOTFOUND'],
  ['an alias', { cname: 'other.example', a: ['10.0.0.1'] }, {}, ['10.0.0.1']],
] as const satisfies readonly (readonly [string, Saying, Saying, readonly string[] | string])[]) {
  test(`a lookup handles a name server that returns ${about}`, async (t) => {
    const { address } = await startNameServer(t, (_, type) => (type === 'a' ? four : six))
    const looked = createLookup({ servers: [address], hostsPath })('shop.example')

    if (typeof expected === 'string') await assert.rejects(looked, { code: expected })
    else assert.deepEqual(await looked, expected)
  })
}

test('the hosts file is read before any server is queried', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-hosts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'hosts')
  writeFileSync(
    path,
    '# 10.0.0.9 shop.example\n10.0.0.1\tHost.Docker.Internal other # shop.example\nbroken other\n::1 other\n',
  )
  const { address } = await startNameServer(t, () => 'missing')
  const lookup = createLookup({ servers: [address], hostsPath: path })

  assert.deepEqual(await lookup('host.docker.internal'), ['10.0.0.1'])
  assert.deepEqual(await lookup('other'), ['10.0.0.1', '::1'])
  await assert.rejects(lookup('shop.example'), { code: 'ENOTFOUND' })
})
