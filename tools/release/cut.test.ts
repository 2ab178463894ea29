import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Change, cutChangelog, isChange, nextVersion, raiseLockFile, raiseManifest, readChange } from './cut.ts'

const root = join(import.meta.dirname, '../..')
const change = (level: Change['level'], text = `a ${level} change`): Change => ({ level, text })

test('every change in changes/ can be released', () => {
  const names = readdirSync(join(root, 'changes')).filter(isChange)

  assert.ok(!names.includes('README.md'))
  for (const name of names) readChange(name, readFileSync(join(root, 'changes', name), 'utf8'))
})

test('a change without a level or a text is refused by its file name', () => {
  assert.deepEqual(readChange('a.md', 'minor\n\n**Refunds**: new.\n'), { level: 'minor', text: '**Refunds**: new.' })
  assert.throws(() => readChange('a.md', '**Refunds**: new.\n'), /a\.md must start with a line/)
  assert.throws(() => readChange('b.md', 'patch\n\n'), /b\.md must say what changed/)
})

test('the highest level decides the version; before 1.0 a breaking change raises the minor number', () => {
  assert.equal(nextVersion('1.2.3', [change('patch')]), '1.2.4')
  assert.equal(nextVersion('1.2.3', [change('patch'), change('minor')]), '1.3.0')
  assert.equal(nextVersion('1.2.3', [change('major'), change('minor')]), '2.0.0')
  assert.equal(nextVersion('0.1.0', [change('major')]), '0.2.0')
  assert.equal(nextVersion('0.1.0', [change('patch')]), '0.1.1')
  assert.throws(() => nextVersion('0.1.0', []), /nothing to release/)
})

test('the changelog gets a section with the written text and the changes; older sections stay', () => {
  const before = '# Changelog\n\n## Unreleased\n\n- written by hand\n\n## 0.1.0, 2026-01-01\n\n- old\n'

  const after = cutChangelog(
    before,
    [change('patch', 'small'), change('minor', 'large\nin two lines')],
    '0.2.0',
    '2026-11-17',
  )

  assert.equal(
    after,
    '# Changelog\n\n## Unreleased\n\n## 0.2.0, 2026-11-17\n\n- written by hand\n- large\n  in two lines\n- small\n\n## 0.1.0, 2026-01-01\n\n- old\n',
  )
  const next = cutChangelog(after, [change('patch', 'next')], '0.2.1', '2026-11-18')
  assert.match(next, /## Unreleased\n\n## 0\.2\.1, 2026-11-18\n\n- next\n\n## 0\.2\.0/)
  assert.throws(() => cutChangelog('# Changelog\n', [change('patch')], '0.2.0', '2026-11-17'), /must have a line/)
})

test('all manifests and the lock file get the version, and nothing else changes', () => {
  const manifest = {
    name: '@malipo/cli',
    version: '0.1.0',
    dependencies: { '@malipo/sdk': '0.1.0', commander: '15.1.0' },
  }
  const raised = { ...manifest, version: '0.2.0', dependencies: { '@malipo/sdk': '0.2.0', commander: '15.1.0' } }
  assert.deepEqual(JSON.parse(raiseManifest(JSON.stringify(manifest), '0.2.0')), raised)

  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }

  const lock = raiseLockFile(text, '99.0.0')

  assert.notEqual(lock, text)
  assert.equal(raiseLockFile(lock, version), text, 'raising it back gives the same file, byte for byte')
})
