import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { addToManifest, fileOf, type ManifestMonth, readManifest } from './manifest.ts'

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-manifest-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function entry(month: string, byte: number): ManifestMonth {
  const hash = Buffer.alloc(32, byte)
  return {
    ...{ month, file: fileOf(month, hash), sha256: hash.toString('hex'), bytes: 10, transfers: 2 },
    ...{ firstBatch: '3', lastBatch: '4', amounts: { KES: '100' }, seal: { number: 1, hash: '00ff' } },
  }
}

test('the manifest keeps each file of a month, once, in the order of months', async (t) => {
  const folder = folderOf(t)
  for (const added of [entry('2025-02', 1), entry('2025-01', 2), entry('2025-02', 3), entry('2025-01', 2)])
    await addToManifest(folder, 0, added)

  const { months } = await readManifest(folder, 0)

  assert.deepEqual(months, [entry('2025-01', 2), entry('2025-02', 1), entry('2025-02', 3)])
  assert.deepEqual(readdirSync(folder), ['manifest.json'])
})

test('a manifest of another shape is invalid, wherever it differs', async (t) => {
  const folder = folderOf(t)
  const good = entry('2025-01', 1)
  const month = (over: Readonly<Record<string, unknown>>) => ({ version: 1, cell: 0, months: [{ ...good, ...over }] })
  const cases: readonly [unknown, RegExp][] = [
    [null, /is not a manifest/],
    [[], /is not a manifest/],
    [{ version: 1, cell: 0 }, /is not a manifest/],
    [{ version: 1, cell: 0, months: {} }, /is not a manifest/],
    [{ version: 1, cell: 0, months: [null] }, /is not a manifest/],
    [{ version: 1, cell: '0', months: [] }, /is not a manifest/],
    [{ version: 2, cell: 0, months: [] }, /has version 2; this release reads version 1/],
    [{ version: 1, cell: 5, months: [] }, /is of cell 5, and this is cell 0/],
    [month({ month: 202501 }), /is not a manifest/],
    [month({ file: null }), /is not a manifest/],
    [month({ sha256: 'a' }), /is not a manifest/],
    [month({ transfers: '2' }), /is not a manifest/],
    [month({ transfers: 2.5 }), /is not a manifest/],
    [month({ lastBatch: 'many' }), /is not a manifest/],
    [month({ lastBatch: '9'.repeat(40) }), /is not a manifest/],
    [month({ amounts: null }), /is not a manifest/],
    [month({ seal: undefined }), /is not a manifest/],
    [month({ seal: { number: 'one', hash: '00' } }), /is not a manifest/],
    [month({ seal: { number: 1e30, hash: '00' } }), /is not a manifest/],
    [month({ seal: { number: 1, hash: '\0' } }), /is not a manifest/],
  ]
  for (const [content, message] of cases) {
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(content))

    const reading = readManifest(folder, 0)

    await assert.rejects(reading, { name: 'ArchiveInvalid', message }, JSON.stringify(content))
  }
  writeFileSync(join(folder, 'manifest.json'), '{"version": 1,')
  await assert.rejects(readManifest(folder, 0), { name: 'ArchiveInvalid' })
})

test('a manifest with a file name that is not of the hash was changed', async (t) => {
  const folder = folderOf(t)
  const months = [{ ...entry('2025-01', 1), file: '../../etc/passwd' }]
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: 1, cell: 0, months }))

  await assert.rejects(readManifest(folder, 0), { name: 'ArchiveChanged' })
})

test('writing the manifest follows no symlink', async (t) => {
  const folder = folderOf(t)
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'untouched')
  symlinkSync(victim, join(folder, 'manifest.json.partial'))

  await addToManifest(folder, 0, entry('2025-01', 1))

  assert.equal(readFileSync(victim, 'utf8'), 'untouched')
  assert.equal((await readManifest(folder, 0)).months.length, 1)
})
