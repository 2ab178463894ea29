import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cruise, judge } from './layers.ts'
import ranks from './ranks.json' with { type: 'json' }

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[]
}

/** A tree with these files, each with the listed imports; packages are empty stubs. */
function plant(t: TestContext, files: Record<string, string[]>): string {
  const tree = mkdtempSync(join(tmpdir(), 'malipo-layers-'))
  t.after(() => rmSync(tree, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
  copyFileSync(join(import.meta.dirname, '../../tsconfig.json'), join(tree, 'tsconfig.json'))
  const packages = ['pg', 'fastify', '@nats-io/transport-node', 'commander']
  for (const name of packages) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    write(`node_modules/${name}/index.js`, '')
  }
  write(
    'package.json',
    JSON.stringify({ name: 'x', dependencies: Object.fromEntries(packages.map((name) => [name, '1.0.0'])) }),
  )
  for (const [path, imports] of Object.entries(files))
    write(path, [...imports.map((target) => `import '${target}'`), 'export const x = 1'].join('\n'))
  return tree
}

const src = 'packages/server/src'
const planted: Record<string, Record<string, string[]>> = {
  'no-cycles': { [`${src}/platform/a.ts`]: ['./b.ts'], [`${src}/platform/b.ts`]: ['./a.ts'] },
  'rank-0-looks-down-only': { [`${src}/money/a.ts`]: ['../ledger/b.ts'], [`${src}/ledger/b.ts`]: [] },
  'rank-1-looks-down-only': { [`${src}/audit/a.ts`]: ['../users/b.ts'], [`${src}/users/b.ts`]: [] },
  'rank-2-looks-down-only': { [`${src}/auth/a.ts`]: ['../payouts/b.ts'], [`${src}/payouts/b.ts`]: [] },
  'rank-3-looks-down-only': { [`${src}/charges/a.ts`]: ['../http/b.ts'], [`${src}/http/b.ts`]: [] },
  'rank-4-looks-down-only': { [`${src}/operate/a.ts`]: ['../main.ts'], [`${src}/main.ts`]: [] },
  'use-cases-are-strangers': { [`${src}/payouts/a.ts`]: ['../webhooks/b.ts'], [`${src}/webhooks/b.ts`]: [] },
  'connectors-know-only-the-contract': {
    [`${src}/providers/pawapay/a.ts`]: ['../flutterwave/b.ts'],
    [`${src}/providers/flutterwave/b.ts`]: [],
  },
  'only-the-platform-knows-the-drivers': {
    [`${src}/ledger/a.ts`]: ['pg'],
    [`${src}/events/a.ts`]: ['@nats-io/transport-node'],
  },
  'only-edges-know-http': { [`${src}/payouts/a.ts`]: ['fastify'] },
  'clients-stay-outside-the-server': {
    'packages/cli/src/a.ts': ['../../server/src/auth/b.ts'],
    [`${src}/auth/b.ts`]: [],
  },
  'sdk-has-no-dependencies': { 'packages/sdk/src/a.ts': ['commander'] },
  'sdk-imports-no-other-package': {
    'packages/sdk/src/a.ts': ['../../server/src/operate/operator.ts'],
    [`${src}/operate/operator.ts`]: [],
  },
  'no-tests-from-code': { [`${src}/auth/a.ts`]: ['../testing/b.ts'], [`${src}/testing/b.ts`]: [] },
}

test('every rule has a planted violation in this file', () => {
  assert.deepEqual(
    forbidden.map(({ name }) => name).filter((name) => !(name in planted)),
    [],
  )
})

for (const [rule, files] of Object.entries(planted)) {
  test(`a planted violation of ${rule} is caught`, (t) => {
    const { violations } = cruise(plant(t, files))

    assert.ok(
      violations.some((violation) => violation.startsWith(`${rule}: `)),
      violations.join('\n') || 'nothing was caught',
    )
  })
}

test('an allowed import is not caught', (t) => {
  const { violations, modules } = cruise(
    plant(t, {
      [`${src}/main.ts`]: ['./http/a.ts', './operate/operator.ts'],
      [`${src}/http/a.ts`]: ['../payouts/b.ts', 'fastify'],
      [`${src}/payouts/b.ts`]: ['../ledger/c.ts', '../platform/d.ts'],
      [`${src}/ledger/c.ts`]: ['../platform/d.ts'],
      [`${src}/platform/d.ts`]: ['pg'],
      [`${src}/operate/operator.ts`]: [],
      [`${src}/payouts/b.test.ts`]: ['../testing/e.ts', './b.ts'],
      [`${src}/testing/e.ts`]: [],
      'packages/cli/src/f.ts': ['../../server/src/operate/operator.ts', '../../sdk/src/g.ts', 'commander'],
      'packages/sdk/src/g.ts': ['node:crypto', './h.ts'],
      'packages/sdk/src/h.ts': [],
      'packages/sdk/src/g.test.ts': ['../../server/src/testing/e.ts', './g.ts'],
    }),
  )

  assert.deepEqual(violations, [])
  assert.ok(modules >= 12)
})

test('a run that saw no modules fails', (t) => {
  assert.throws(() => cruise(plant(t, {})))
  assert.throws(() => judge({ summary: { totalCruised: 0, violations: [] } }), /saw no modules/)
})

test('every folder and file of the server has exactly one rank', () => {
  const entries = readdirSync(join(import.meta.dirname, '../..', src))
  const names = entries.filter((name) => !name.endsWith('.test.ts')).map((name) => name.replace(/\.ts$/, ''))

  for (const name of names)
    assert.equal(ranks.flatMap(({ folders }) => folders).filter((ranked) => ranked === name).length, 1, name)
})
