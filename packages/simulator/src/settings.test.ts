import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings } from './settings.ts'

const token = 'the-token-of-the-sandbox'
const derived = { TOKEN: token, HASH: token, ENCRYPTION_KEY: '4bfce45b04137de4edc8b03c' }

test('one token configures the control API and every provider, also when it comes from a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'token')
  writeFileSync(path, `${token}\n`)

  for (const settings of [readSettings({ SIMULATOR_TOKEN: token }), readSettings({ SIMULATOR_TOKEN_FILE: path })]) {
    assert.equal(settings.controlToken, token)
    assert.deepEqual(settings.dialect('pawapay')['TOKEN'], token)
    assert.deepEqual(settings.dialect('flutterwave'), derived)
  }
})

test('a token of its own takes precedence over the one for all', () => {
  const settings = readSettings({ SIMULATOR_TOKEN: token, SIMULATOR_PAWAPAY_TOKEN: 'its own' })

  assert.equal(settings.dialect('pawapay')['TOKEN'], 'its own')
  assert.equal(settings.controlToken, token)
})
