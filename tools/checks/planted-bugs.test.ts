import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catchers, copyServer, plantedBugs, runCatchers } from './planted-bugs.ts'

/** The end of a test's output, without the details of a counterexample. */
const endOf = (output: string) =>
  output
    .split('\n')
    .slice(-60)
    .map((line) => line.slice(0, 400))
    .join('\n')

test('a copy of the server without a bug passes the tests that find bugs', async (t) => {
  const { folder, remove } = copyServer([])
  t.after(remove)

  const { code, output } = await runCatchers(folder)

  assert.equal(code, 0, endOf(output))
  for (const name of [catchers.anyTraffic, catchers.sameHold, catchers.sameWallets])
    assert.ok(output.includes(`✔ ${name}`), `did not run: ${name}`)
})

for (const { name, edits, caughtBy, complaint } of plantedBugs)
  test(`a bug is found: ${name}`, async (t) => {
    const { folder, remove } = copyServer(edits)
    t.after(remove)

    const { code, output } = await runCatchers(folder, caughtBy)

    assert.equal(code, 1, endOf(output))
    assert.ok(output.includes(`✖ ${caughtBy}`), endOf(output))
    assert.match(endOf(output), complaint)
  })

test('a bug whose place in the code is missing or ambiguous is not planted silently', () => {
  const edit = { path: 'ledger/books.ts', instead: '' }

  assert.throws(() => copyServer([{ ...edit, text: 'a line that is nowhere' }]), /does not have this exactly once/)
  assert.throws(() => copyServer([{ ...edit, text: 'import' }]), /does not have this exactly once/)
})
