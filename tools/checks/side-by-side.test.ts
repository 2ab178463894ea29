import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSideBySide } from './side-by-side.ts'

const node = (name: string, script: string) => ({ name, program: process.execPath, args: ['-e', script] })

test('steps run side by side, each prints its output at once, and every failure is reported', async () => {
  const printed: string[] = []
  const steps = [
    node('good', 'console.log(1); console.error(2)'),
    node('bad', 'console.log("reason"); process.exitCode = 3'),
    node('killed', 'process.kill(process.pid, "SIGKILL")'),
    { name: 'missing', program: '/nowhere/program', args: [] },
  ]

  const failed = await runSideBySide(steps, (text) => printed.push(text))

  assert.deepEqual(failed, ['bad', 'killed', 'missing'])
  assert.equal(printed.length, 4)
  assert.match(printed.join('\n'), /── good: ok, [\d.]+ s\n1\n2/)
  assert.match(printed.join('\n'), /── bad: FAILED, [\d.]+ s\nreason/)
  assert.match(printed.join('\n'), /── missing: FAILED, [\d.]+ s\n.*ENOENT/)
})
