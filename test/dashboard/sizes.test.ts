import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildDashboard, isDashboardStale } from '../../tools/dashboard/build.ts'

const dist = join(import.meta.dirname, '../../packages/dashboard/dist')
const shellMax = 110_000
const routeMax = 45_000
const shellFilesMax = 3
const routeFilesMax = 9
/** Its own file, the shared ones, and what a shared one alone needs. */
const routeStepsMax = 3

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly isEntry?: true
  readonly dynamicImports?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** The files that a browser loads for a chunk in steps: a file names the next ones only when it has come. */
function stepsOf(manifest: Manifest, name: string, loaded: ReadonlySet<string> = new Set()) {
  const names = new Set<string>()
  const steps: string[][] = []
  for (let step = [name]; step.length > 0; ) {
    for (const each of step) names.add(each)
    steps.push(step)
    const next = new Set(step.flatMap((each) => manifest[each]?.imports ?? []))
    step = [...next].filter((each) => !names.has(each) && !loaded.has(each))
  }
  return { names, steps: steps.length, bytes: [...names].reduce((sum, each) => sum + bytesOf(manifest, each), 0) }
}

/** Compressed as the api sends it. */
const bytesOf = (manifest: Manifest, name: string) =>
  gzipSync(readFileSync(join(dist, manifest[name]?.file ?? '')), { level: 9 }).length

function readBuild() {
  if (isDashboardStale()) assert.equal(buildDashboard(), undefined)
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest
  const [entry = ''] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry)
  const shell = stepsOf(manifest, entry)
  const named = new Set(Object.values(manifest).flatMap(({ dynamicImports = [] }) => dynamicImports))
  const routes = [...named].map((name) => ({ name, ...stepsOf(manifest, name, shell.names) }))
  return { shell, routes: routes.toSorted((left, right) => right.bytes - left.bytes) }
}

test('the shell of the dashboard is at most 110 kB, and each page at most 45 kB more', (t) => {
  const { shell, routes } = readBuild()
  t.diagnostic(
    `shell ${shell.bytes}; ${routes
      .slice(0, 6)
      .map(({ name, bytes }) => `${name} ${bytes}`)
      .join(', ')}`,
  )

  assert.ok(shell.bytes > 50_000 && routes.length > 10, 'the build has its parts')
  assert.ok(shell.bytes <= shellMax, `the shell has ${shell.bytes} bytes`)
  assert.deepEqual(
    routes.filter(({ bytes }) => bytes > routeMax).map(({ name, bytes }) => `${name}: ${bytes}`),
    [],
  )
})

test('a page comes in few files and few steps', (t) => {
  const { shell, routes } = readBuild()
  const most = routes.toSorted((left, right) => right.names.size - left.names.size)[0]
  t.diagnostic(`shell ${shell.names.size} files; most: ${most?.name} ${most?.names.size} files`)

  assert.ok(shell.names.size <= shellFilesMax && shell.steps <= 2, `the shell has ${shell.names.size} files`)
  assert.deepEqual(
    routes
      .filter(({ names, steps }) => names.size > routeFilesMax || steps > routeStepsMax)
      .map(({ name, names, steps }) => `${name}: ${names.size} files in ${steps} steps`),
    [],
  )
})
