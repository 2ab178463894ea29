import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testMalipo } from '../../testing/malipo.ts'
import { caseKinds } from '../late-money/suspense-cases.ts'
import { doubts } from './doubts.ts'

const operating = join(import.meta.dirname, '../../../../../docs/operating')

/** The table rows of a document whose first cell is a word in code. Only those after the table's heading count. */
function rowsOf(file: string, heading: string): string[] {
  const text = readFileSync(join(operating, file), 'utf8')
  const [, table] = text.split(`${heading}\n`)
  assert(table !== undefined, `${file} has no table ${heading}`)
  return (table.split('\n\n')[0] ?? '').split('\n').slice(1)
}

const rowOf = (name: string, ...cells: readonly string[]) => `| \`${name}\` | ${cells.join(' | ')} |`

/** The words that a constraint of the database accepts. */
async function acceptedBy(ask: Awaited<ReturnType<typeof testMalipo>>['ask'], table: string, constraint: string) {
  const [row] = await ask<{ definition: string }>(
    'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1 and conrelid = $2::regclass',
    [constraint, table],
  )
  return new Set([...(row?.definition ?? '').matchAll(/'(\w*)'/g)].map(([, word]) => word))
}

test('the documents for staff have every doubt and every kind of case, in the words of the tables', () => {
  const rows = Object.entries(doubts).map(([name, { meaning, withoutHelp, check, action }]) =>
    rowOf(name, meaning, withoutHelp, check, action),
  )
  assert.deepEqual(rowsOf('payments.md', '| reason | meaning | without help | what to check | then |'), rows)

  const cases = Object.entries(caseKinds).map(([name, { meaning, usuallyClearedAs }]) =>
    rowOf(name, meaning, usuallyClearedAs),
  )
  assert.deepEqual(rowsOf('suspense.md', '| case | meaning | usually cleared as |'), cases)
})

test('the database accepts exactly the doubts and the kinds of cases in the tables', async (t) => {
  const { ask } = await testMalipo(t)

  assert.deepEqual(
    await acceptedBy(ask, 'transactions', 'transactions_doubt_is_known'),
    new Set(['', ...Object.keys(doubts)]),
  )
  assert.deepEqual(
    await acceptedBy(ask, 'suspense_cases', 'suspense_cases_kind_is_known'),
    new Set(Object.keys(caseKinds)),
  )
})
