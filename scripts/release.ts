/**
 * npm run release: turns changes/ into the next version: package.json files, lock file and a section of CHANGELOG.md. Commit and tag
 * the result; the release workflow publishes it. `--publishable` only prints the folders of the packages to publish.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cutChangelog, isChange, nextVersion, raiseLockFile, raiseManifest, readChange } from '../tools/release/cut.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifests = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`)

if (process.argv[2] === '--publishable') {
  const isPublic = (path: string) => !(JSON.parse(read(path)) as { private?: boolean }).private
  for (const path of manifests.filter(isPublic)) console.log(path.replace('/package.json', ''))
} else cut()

function cut(): void {
  const paths = readdirSync(join(root, 'changes')).filter(isChange)
  const changes = paths.map((name) => readChange(`changes/${name}`, read(`changes/${name}`)))
  const version = nextVersion((JSON.parse(read('package.json')) as { version: string }).version, changes)
  const date = new Date().toISOString().slice(0, 10)
  rewrite('CHANGELOG.md', (text) => cutChangelog(text, changes, version, date))
  for (const path of ['package.json', ...manifests]) rewrite(path, (text) => raiseManifest(text, version))
  rewrite('package-lock.json', (text) => raiseLockFile(text, version))
  for (const name of paths) rmSync(join(root, 'changes', name))
  console.log(`${version} is ready. Run npm run generate, read CHANGELOG.md, commit, and tag the commit v${version}.`)
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(join(root, path), change(read(path)))
}
