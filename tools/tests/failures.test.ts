import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

test('each failed test is named once, with the first lines of its error', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-failures-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'some.test.mjs')
  writeFileSync(
    file,
    `import { test } from 'node:test'
    test('outer', (t) => t.test('inner', () => { throw new Error(['first', '', ...'23456789'].join('\\n')) }))
    test('passes', () => undefined)
    test('text', () => { throw 'a text' })`,
  )
  const runner = join(folder, 'run.mjs')
  writeFileSync(
    runner,
    `import { run } from 'node:test'
    import { failureLines } from '${join(import.meta.dirname, 'failures.ts')}'
    const events = run({ files: ['${file}'] })
    events.on('test:fail', ({ name, details: { error } }) => {
      for (const line of failureLines({ name, file: 'some.test.mjs', error })) console.log(line)
    })
    events.resume()`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // With it, Node runs no tests from within a test.

  const lines = execFileSync(process.execPath, [runner], { encoding: 'utf8', env }).trimEnd().split('\n')

  assert.deepEqual(lines, [
    '✖ inner (some.test.mjs)',
    ...['first', '2', '3', '4', '5', '6'].map((line) => `    ${line}`),
    '✖ text (some.test.mjs)',
    '    a text',
  ])
})
