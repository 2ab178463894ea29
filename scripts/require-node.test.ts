import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const guard = join(import.meta.dirname, 'require-node.cjs')
const line = (version: string) =>
  new RegExp(`^Malipo needs Node 24\\.7 or a later 24 \\(this is v${version}\\)\\. Install it with .+\\n$`)

/** The guard, run by a Node that says it has this version. */
function runAs(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } }); require(${JSON.stringify(guard)})`
  return spawnSync(process.execPath, ['-e', pretend], { encoding: 'utf8' })
}

test('a wrong Node gets one line and exit code 1, and a right one gets nothing', () => {
  for (const version of ['20.20.2', '22.1.0', '24.6.9', '26.0.0']) {
    const { status, stdout, stderr } = runAs(version)
    assert.deepEqual([status, stdout], [1, ''], version)
    assert.match(stderr, line(version))
  }
  for (const version of ['24.7.0', '24.10.1']) assert.deepEqual([runAs(version).status, runAs(version).stderr], [0, ''])
})

test('every npm script that starts Node has the guard, and the guard allows what package.json allows', () => {
  const { scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
    engines: { node: string }
  }

  for (const [name, script] of Object.entries(scripts))
    if (/\bnode\b/.test(script)) assert.match(script, /^(exec )?node -r \.\/scripts\/require-node\.cjs /, name)
  assert.equal(engines.node, '>=24.7 <25')
})

const node20 = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((place) => join(place, 'node'))
  .find((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'))

test('a real Node 20 prints the line in place of a stack trace', {
  skip: node20 === undefined && 'no Node 20 here',
}, () => {
  for (const script of ['dev', 'test', 'malipo']) {
    const { status, stderr } = spawnSync(node20 ?? '', ['-r', guard, join(root, 'scripts', `${script}.ts`)], {
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stderr, line('20[.\\d]+'))
  }
})
