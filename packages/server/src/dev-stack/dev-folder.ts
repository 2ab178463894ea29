import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

/** Where the stack of npm run dev keeps its data and its variables. */
export const devFolder = resolve(process.env['MALIPO_FOLDER'] || join(import.meta.dirname, '../../../../.malipo'))

/** In every data folder, so that npm run dev knows it again. */
const markName = 'data-of-npm-run-dev'
/** In every data folder of 0.2.0 and earlier, which have no mark. */
const earlierMark = 'postgres.password'

/**
 * Why npm run dev must not use a folder, which it deletes with --fresh and whose mode it changes: it holds something else, or it
 * belongs to another user.
 */
export function foreignFolder(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found) return undefined
  if (!found.isDirectory()) return 'is not a folder'
  if (process.getuid && found.uid !== process.getuid()) return 'belongs to another user'
  const isOwn = [markName, earlierMark].some((name) => existsSync(join(folder, name)))
  return isOwn || readdirSync(folder).length === 0 ? undefined : 'holds other files than those of npm run dev'
}

/** Makes the folder and marks it as a data folder. */
export function markFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  writeFileSync(join(folder, markName), 'npm run dev -- --fresh deletes this folder.\n')
}

/** The same path for people: relative where it is below the current folder. */
export const shownFolder = relative(process.cwd(), devFolder).startsWith('..')
  ? devFolder
  : relative(process.cwd(), devFolder)
