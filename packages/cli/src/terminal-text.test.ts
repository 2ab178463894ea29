import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { createProgressLine } from './progress.ts'
import { createFormatter } from './table.ts'
import { jsonText, terminalText } from './terminal-text.ts'
import { commandLine } from './testing/command-line.ts'

/** Clears the screen, sets the title, colours, and does the same by C1; DEL and carriage return hide what is before them. */
const hostile = '\u001b[2J\u001b]0;pay\u0007\u001b[32mok\u009b2J\u007f\rend'
const shown = String.raw`\x1b[2J\x1b]0;pay\x07\x1b[32mok\x9b2J\x7f\x0dend`
const ownKeys = { MALIPO_URL: 'http://127.0.0.1:4', MALIPO_PUBLIC_KEY: 'pk_test_a', MALIPO_API_KEY: 'sk_test_a' }

function fileWith(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-terminal-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), text)
  return join(folder, 'file')
}

test('control characters in data are shown and not obeyed, on a terminal and in a pipe', async (t) => {
  const log = `${JSON.stringify({ level: 'info', msg: hostile, note: hostile })}\nplain ${hostile}\n`

  for (const terminal of [{ columns: 200 }, undefined]) {
    const { out } = await commandLine({}, { terminal, input: Readable.from([log]) })('logs')
    assert.equal(out.split(shown).length, 4, out)
    assert.doesNotMatch(out, /[^\P{Cc}\n]/u)
  }
  const bulk = fileWith(t, `externalReference,"${hostile}"\nwage-1,1\n`)
  const { err } = await commandLine(ownKeys)('bulk', bulk)
  assert.ok(err.includes(`has unknown columns: ${shown}`), err)
})

test('JSON has no control characters, and its values stay as they are', async () => {
  const line = JSON.stringify({ msg: hostile })

  const { out } = await commandLine({}, { input: Readable.from([`${line}\n`]) })('logs', '--json')
  const failed = await commandLine({}, {})('whoami', '--profile', hostile, '--json')

  for (const text of [out, failed.err]) assert.doesNotMatch(text, /[^\P{Cc}\n]/u)
  assert.deepEqual(JSON.parse(out), { msg: hostile })
  const { error } = JSON.parse(failed.err) as { error: { message: string } }
  assert.ok(error.message.startsWith(`Profile ${hostile} does not exist.`))
  assert.equal(jsonText({ a: '\u009b' }, 2), '{\n  "a": "\\u009b"\n}')
})

test('the program’s own colours and its progress line take effect, and the same codes in data do not', () => {
  const lines: string[] = []
  const cli = { variables: {}, actor: '', write: () => undefined, writeError: (text: string) => lines.push(text) }
  const { paint } = createFormatter({ ...cli, terminal: { columns: 80 } }, true)
  createProgressLine({ ...cli, hasErrorTerminal: true }).say('3 of 4')

  assert.equal(terminalText(paint('red', '\u001b[31mbad')), String.raw`${'\u001b'}[31m\x1b[31mbad${'\u001b'}[39m`)
  assert.deepEqual(lines.map(terminalText), ['\r\u001b[K3 of 4'])
})

test('a cell with line breaks, tabs and control characters stays in its row and column', () => {
  const cli = { variables: {}, actor: '', write: () => undefined, writeError: () => undefined }
  const rows = ['a\nb\tc', '\u001bX', 'plain']
  const columns = { NAME: (row: string) => row, NEXT: () => 'next' }

  const aligned = createFormatter({ ...cli, terminal: { columns: 80 } }, false).table(rows, columns)

  assert.deepEqual(terminalText(aligned).split('\n'), [
    'NAME   NEXT',
    'a b c  next',
    String.raw`\x1bX  next`,
    'plain  next',
  ])
})
