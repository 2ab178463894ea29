import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildDashboard, isDashboardStale } from '../../tools/dashboard/build.ts'

const dist = join(import.meta.dirname, '../../packages/dashboard/dist')
const shellMax = 110_000
const routeMax = 45_000

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly isEntry?: true
  readonly isDynamicEntry?: true
}

/** The files that a browser loads for a chunk, compressed as the api sends them. */
function sizeOf(manifest: Readonly<Record<string, Chunk>>, name: string, loaded: ReadonlySet<string> = new Set()) {
  const names = new Set<string>()
  const follow = (each: string) => {
    if (names.has(each) || loaded.has(each)) return
    names.add(each)
    for (const next of manifest[each]?.imports ?? []) follow(next)
  }
  follow(name)
  const bytes = [...names].map(
    (each) => gzipSync(readFileSync(join(dist, manifest[each]?.file ?? '')), { level: 9 }).length,
  )
  return { names, bytes: bytes.reduce((sum, size) => sum + size, 0) }
}

test('the shell of the dashboard is at most 110 kB, and each page at most 45 kB more', (t) => {
  if (isDashboardStale()) assert.equal(buildDashboard(), undefined)
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const [entry = ''] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry)
  const shell = sizeOf(manifest, entry)
  const routes = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry)
  const sizes = routes.map((name) => ({ name, bytes: sizeOf(manifest, name, shell.names).bytes }))
  sizes.sort((left, right) => right.bytes - left.bytes)
  t.diagnostic(
    `shell ${shell.bytes}; ${sizes
      .slice(0, 6)
      .map(({ name, bytes }) => `${name} ${bytes}`)
      .join(', ')}`,
  )

  assert.ok(shell.bytes > 50_000 && routes.length > 10, 'the build has its parts')
  assert.ok(shell.bytes <= shellMax, `the shell has ${shell.bytes} bytes`)
  assert.deepEqual(
    sizes.filter(({ bytes }) => bytes > routeMax),
    [],
  )
})
