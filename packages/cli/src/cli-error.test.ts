import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { reportError } from './cli-error.ts'

const ledger = join(import.meta.dirname, '../../server/src/ledger')
const named = (name: string) => Object.assign(new Error('a month is missing'), { name })

test('every error of the ledger check and of the archive is reported as such, not as a bug in malipo', () => {
  const names = globSync(`${ledger}/{archive,check}/*.ts`).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/override readonly name(?:: string)? = '(\w+)'/g)].map(
      ([, name = '']) => name,
    ),
  )

  assert.ok(names.includes('ArchiveMissing') && names.includes('OtherDatabase'))
  const internal = names.filter((name) => reportError(named(name), false).message !== 'a month is missing')
  assert.deepEqual(internal, [])
})

test('a file that is gone is a failed check, like one that was changed', () => {
  assert.equal(reportError(named('ArchiveMissing'), false).exit, 'checkFailed')
  assert.equal(reportError(named('ArchiveChanged'), false).exit, 'checkFailed')
})
