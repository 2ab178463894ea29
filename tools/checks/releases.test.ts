import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { firstOfSeries, gitIn } from './releases.ts'

const identity = ['-c', 'user.name=Amina', '-c', 'user.email=amina@example.com', '-c', 'commit.gpgsign=false']

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-releases-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A history in which each version is one commit, oldest first. */
function historyOf(t: TestContext, versions: readonly string[]): { readonly root: string; readonly commits: string[] } {
  const root = folderOf(t)
  const git = gitIn(root)
  git('init', '--quiet')
  const commits = versions.map((version) => {
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'malipo', version }, undefined, 2))
    git('add', 'package.json')
    git(...identity, 'commit', '--quiet', '--message', version)
    return git('rev-parse', 'HEAD').trim()
  })
  return { root, commits }
}

test('the first commit of a series is found, and an unreleased series has none', (t) => {
  const { root, commits } = historyOf(t, ['0.1.0', '0.2.0', '0.2.1', '0.2.2'])

  assert.equal(firstOfSeries(root), commits[1])
  assert.equal(firstOfSeries(historyOf(t, ['0.1.0', '0.1.1']).root), undefined)
})

test('a shallow clone of a released series is an error, not a shorter promise', (t) => {
  const { root } = historyOf(t, ['0.2.0', '0.2.1'])
  const clone = join(folderOf(t), 'clone')
  gitIn(root)('clone', '--quiet', '--depth', '1', `file://${root}`, clone)

  assert.throws(() => firstOfSeries(clone), /the history is shallow.*git fetch --unshallow/)
})
