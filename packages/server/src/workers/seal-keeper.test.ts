import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sealHeads } from '../ledger/seals.ts'
import { readSealLines } from '../operate/seal-file.ts'
import { testMalipo } from '../testing/malipo.ts'
import { keepSeals } from './seal-keeper.ts'

test('a file of seals that was removed is noticed by checks, and by the worker that writes it again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-seals-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'seals')
  const malipo = await testMalipo(t, { MALIPO_SEALS_PATH: path })
  const { write } = malipo.ctx.db
  const entry = () => malipo.operator.merchants.create({ ...owner, name: 'Duka' })
  for (let times = 0; times < 2; times += 1) {
    await entry()
    await sealHeads(write)
  }
  await keepSeals(malipo.ctx)
  const lines = await readSealLines(write, path)
  assert.ok(lines.length > 2)

  rmSync(path)

  await assert.rejects(readSealLines(write, path), /the file of seals .* is missing/)
  assert.deepEqual(await readSealLines(write, undefined), [])
  const before = malipo.log.length
  await keepSeals(malipo.ctx)
  assert.match(malipo.log.slice(before).join(''), /file of seals was missing, written again from the database/)
  assert.deepEqual((await readSealLines(write, path)).slice(0, lines.length - 1), lines.slice(0, -1))
})

const owner = { email: 'a@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
