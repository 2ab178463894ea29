/**
 * npm run docs: builds the site from docs/ into docs-site/dist, and checks its links, titles, descriptions and pictures, and that a page
 * loads nothing from another machine. DOCS_URL is the address it will be served at: with it the link to the share image is absolute,
 * which some social networks require.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readTree } from '../tools/checks/tidy.ts'
import { llmsFull, llmsIndex, onSite } from '../tools/docs/llms.ts'
import { siteProblems } from '../tools/docs/site-check.ts'
import { pageOf } from '../tools/docs/site-map.ts'
import { knownErrors } from '../tools/docs/site-operations.ts'
import { sidebar, sitePage } from '../tools/docs/site-pages.ts'

const root = join(import.meta.dirname, '..')
const site = join(root, 'docs-site')

if (!existsSync(join(site, 'node_modules'))) run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error')
stage()
await drawShareImage()
run(process.execPath, 'node_modules/astro/bin/astro.mjs', 'build', '--silent')
const problems = siteProblems(join(site, 'dist'))
for (const problem of problems) console.error(problem)
console.log(
  problems.length === 0 ? 'The site is in docs-site/dist.' : `${problems.length} things are wrong with the site.`,
)
process.exitCode = problems.length === 0 ? 0 : 1

/** Puts pages where Starlight expects them; they, and everything else in docs/, are also served unchanged. */
function stage(): void {
  const [content, assets] = [join(site, 'src/content/docs'), join(site, 'public')]
  const kept = [join(site, '.astro'), join(site, 'node_modules/.astro')] // Pages built with other settings.
  for (const folder of [content, assets, ...kept]) rmSync(folder, { recursive: true, force: true })
  const there = new Set<string>()
  const errors = knownErrors(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8'))
  for (const { path, text } of readTree(root)) {
    const page = pageOf(path)
    if (page !== undefined) {
      there.add(page)
      const { path: target, text: body } = sitePage(page, path, text, errors)
      if (page !== 'README') write(join(content, target), body) // The home page is src/pages/index.astro.
      write(join(assets, `${page}.md`), text)
    } else if (path.startsWith('docs/')) cpSync(join(root, path), join(assets, path.replace(/^docs/, '')))
  }
  for (const path of globSync('docs/**/*.webp', { cwd: root }))
    cpSync(join(root, path), join(assets, path.replace(/^docs/, '')))
  write(join(assets, 'llms.txt'), llmsIndex(onSite))
  write(join(assets, 'llms-full.txt'), llmsFull())
  write(join(site, 'src/sidebar.json'), JSON.stringify(sidebar(there), null, 2))
  cpSync(join(site, 'src/assets/mark.svg'), join(assets, 'favicon.svg'))
}

/** The picture that chats and social networks show with a link. Its words are outlines, so no font is needed. */
async function drawShareImage(): Promise<void> {
  const sharp = createRequire(join(site, 'package.json'))('sharp') // Astro's own image library.
  await sharp(join(site, 'src/assets/share.svg')).png({ palette: true }).toFile(join(site, 'public/share.png'))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function run(program: string, ...args: string[]): void {
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' }
  const { status, error } = spawnSync(program, args, { cwd: site, stdio: 'inherit', env })
  if (status === 0) return
  console.error(error?.message ?? `${program} ${args[0]} failed`)
  process.exit(1)
}
