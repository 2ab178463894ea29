import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { commandLine } from './testing/command-line.ts'

/** The completions that bash offers for these words; the last word is incomplete. */
async function offered(...words: string[]): Promise<string[]> {
  const { out: script } = await commandLine({})('completion', 'bash')
  const typed = words.map((word) => `'${word}'`).join(' ')
  const asked = `${script}\nCOMP_WORDS=(malipo ${typed}); COMP_CWORD=${words.length}; _malipo; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).trim().split('\n')
}

test('bash completes commands, subcommands and options', async () => {
  assert.deepEqual(await offered('tran'), ['transactions'])
  assert.deepEqual(await offered('webhooks', 're'), ['resend'])
  assert.deepEqual(await offered('charge', 'momo', '--ph'), ['--phone'])
  assert.deepEqual(await offered('--json', 'keys', 'cr'), ['create'])
  assert.deepEqual(await offered('charge', 'momo', '--phone', '+254', '--pro'), ['--profile'])
  assert.deepEqual(await offered('nothing-like-it'), [''])
})

test('the scripts for zsh and fish know every command and option too', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { out } = await commandLine({})('completion', shell)
    for (const word of [' charge momo', 'conformance', 'junit']) assert.ok(out.includes(word), `${shell}: ${word}`)
  }
})
