/**
 * `npm pack` of packages/cli calls this before and after. The workspace runs the sources; the package is plain JavaScript, since
 * Node strips no types below node_modules. It contains the SDK and commander and has no dependencies, so that it installs
 * without a registry. It does not contain the server: see docs/decisions/cli-package.md.
 */
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'packages/cli')
const dist = join(folder, 'dist')
const manifestPath = join(folder, 'package.json')
const keptPath = join(dist, 'package.json.kept')
const packedProgram = 'dist/malipo.js'

/** Where the packages that the sources import by name are below dist. */
const contained: Readonly<Record<string, string>> = {
  '@malipo/sdk': 'sdk/index.js',
  commander: 'commander/index.js',
}

if (process.argv[2] === 'after') restore()
else pack()

function pack(): void {
  restore() // An interrupted npm pack did not.
  rmSync(dist, { recursive: true, force: true })
  strip(join(folder, 'src'), dist)
  strip(join(root, 'packages/sdk/src'), join(dist, 'sdk'))
  const commander = dirname(createRequire(import.meta.url).resolve('commander'))
  for (const name of ['index.js', 'lib', 'package.json', 'LICENSE'])
    cpSync(join(commander, name), join(dist, 'commander', name), { recursive: true })
  copyFileSync(join(root, 'scripts/require-node.cjs'), join(dist, 'require-node.cjs'))
  copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
  const start = `#!/usr/bin/env node\nimport './require-node.cjs'\nawait import('./main.js')\n`
  writeFileSync(join(dist, 'malipo.js'), start, { mode: 0o755 })
  copyFileSync(manifestPath, keptPath)
  const { dependencies: _, ...manifest } = readManifest()
  writeFileSync(manifestPath, `${JSON.stringify({ ...manifest, bin: { malipo: packedProgram } }, null, 2)}\n`)
}

/** Only a manifest that this script wrote is replaced: one that was restored by hand may have been edited since. */
function restore(): void {
  const isPacked = readManifest().bin?.malipo === packedProgram
  if (isPacked && existsSync(keptPath)) copyFileSync(keptPath, manifestPath)
}

interface Manifest {
  readonly bin?: { readonly malipo?: string }
  readonly dependencies?: unknown
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(manifestPath, 'utf8')) as Manifest
}

/** Writes every source as JavaScript, without the tests and what they import. */
function strip(from: string, to: string): void {
  const isOfTests = (path: string) => path.endsWith('.test.ts') || path.includes('testing/')
  for (const path of globSync('**/*.ts', { cwd: from }).filter((each) => !isOfTests(each))) {
    const target = join(to, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, linked(stripTypeScriptTypes(readFileSync(join(from, path), 'utf8')), dirname(target)))
  }
}

/** Imports name the JavaScript files, and the contained packages by their path. */
function linked(source: string, place: string): string {
  return source.replaceAll(/(\bfrom |\bimport |\bimport\()'([^']+)'/g, (_, before: string, name: string) => {
    const inside = contained[name]
    const path = inside === undefined ? name.replace(/^(\..*)\.ts$/, '$1.js') : relative(place, join(dist, inside))
    return `${before}'${inside !== undefined && !path.startsWith('.') ? `./${path}` : path}'`
  })
}
