import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { exitCodes } from './exit-codes.ts'
import { commandLine } from './testing/command-line.ts'

function writeCells(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-cells-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'cells.toml'), text)
  return { file: join(folder, 'cells.toml'), target: join(folder, 'router') }
}

test('cells render writes what HAProxy reads, and again after a change', async (t) => {
  const cells = '[cells.0]\nservers = ["10.0.0.1:8080"]\n[cells.31]\nservers = ["10.0.1.1:8080"]\n'
  const { file, target } = writeCells(t, cells)
  const render = () => commandLine({})('cells', 'render', file, '--folder', target, '--json')

  const { code, out } = await render()
  writeFileSync(file, cells.replace('10.0.1.1', '10.0.1.2'))
  await render()

  assert.equal(code, exitCodes.done)
  const { files } = JSON.parse(out) as { files: string[] }
  assert.deepEqual(new Set(files), new Set(readdirSync(target).map((name) => join(target, name))))
  assert.equal(readFileSync(join(target, 'numbers.map'), 'utf8'), '0 000\n31 01f\n')
  const configuration = readFileSync(join(target, 'cells.cfg'), 'utf8')
  assert.match(configuration, /^backend cell-01f .*\n(?:.*\n){3} {2}server api-1 10\.0\.1\.2:8080 check$/m)
  assert.ok(configuration.includes(`map_int(${target}/numbers.map)`))
})

test('cells render names every problem of the file, and writes nothing', async (t) => {
  const { file, target } = writeCells(t, 'default = 3\n[cells.0]\nservers = []\n')

  const { code, err } = await commandLine({})('cells', 'render', file, '--folder', target)
  const missing = await commandLine({})('cells', 'render', `${file}.no`, '--folder', target)
  writeFileSync(file, '[cells.0]\nservers = ["10.0.0.1:8080"]\n')
  const spaced = await commandLine({})('cells', 'render', file, '--folder', `${target} 2`)
  writeFileSync(file, 'default =')
  const broken = await commandLine({})('cells', 'render', file, '--folder', target)

  assert.equal(code, exitCodes.usage)
  for (const named of [/cells\.0 needs servers/, /default names cell 3/]) assert.match(err, named)
  assert.deepEqual([missing.code, spaced.code, broken.code], Array(3).fill(exitCodes.usage))
  assert.match(spaced.err, /the path of the folder has a character/)
  assert.match(missing.err, /cells\.toml\.no cannot be read/)
  assert.match(broken.err, /^The file of cells is invalid: line 1 is not TOML\.$/m)
  assert.throws(() => readdirSync(target), { code: 'ENOENT' })
})
