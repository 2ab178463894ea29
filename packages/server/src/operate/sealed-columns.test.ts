import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { sealedColumns } from './sealed-columns.ts'

/** Sealed values that reseal leaves alone. */
const exceptions: Readonly<Record<string, string>> = {
  card_continuations: 'kept for minutes, in an unlogged table',
  'challenges.content': 'kept for 5 minutes',
  'quotes.terms': 'kept for two hours',
  'people.totp_ticket': 'not a column: the browser keeps it for 15 minutes',
}

const known = [...sealedColumns.map(({ name }) => name), ...Object.keys(exceptions)]

/** What code seals, by the context that it names: `table.column row`. */
function sealedInSource(): string[] {
  const source = join(import.meta.dirname, '..')
  const paths = globSync('**/*.ts', { cwd: source }).filter((path) => !/\.test\.ts$|^testing\//.test(path))
  const declared = /\w*[cC]ontext(?:Of)? = \([^)]*\)(?:: string)? =>\s+`([a-z_]+(?:[.|][a-z_]+)?)[ |]\$\{/g
  return paths.flatMap((path) =>
    [...readFileSync(join(source, path), 'utf8').matchAll(declared)].map(([, name = '']) => name.replace('|', '.')),
  )
}

test('every value that code seals is moved by reseal, or named with the reason why not', () => {
  const sealed = sealedInSource()

  assert.ok(sealed.length >= 9, `only ${sealed.join(', ')} were found`)
  assert.deepEqual(
    sealed.filter((name) => !known.includes(name)),
    [],
  )
})

test('every column with the name of a secret is moved by reseal', async (t) => {
  const { ask } = await testMalipo(t)
  const columns = await ask<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'text' and column_name ~ 'secret|sealed|password'`,
  )

  const forgotten = columns.filter(({ name }) => !known.includes(name) && name !== 'card_continuations.sealed')

  assert.ok(columns.length >= 5)
  assert.deepEqual(forgotten, [])
})
