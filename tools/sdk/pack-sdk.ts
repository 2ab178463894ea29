/**
 * `npm pack` of packages/sdk calls this before and after. The workspace runs the sources; the published package is plain
 * JavaScript with declarations, since Node strips no types below node_modules.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'packages/sdk')
const manifest = join(folder, 'package.json')

const exported = {
  before: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  after: { '.': './src/index.ts' },
}

function build(): void {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: 'inherit' })
  copyFileSync(join(root, 'LICENSE'), join(folder, 'dist/LICENSE'))
}

const moment = process.argv[2] === 'after' ? 'after' : 'before'
if (moment === 'before') build()
const described = JSON.parse(readFileSync(manifest, 'utf8')) as object
writeFileSync(manifest, `${JSON.stringify({ ...described, exports: exported[moment] }, null, 2)}\n`)
