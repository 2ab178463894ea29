import { join, relative, resolve } from 'node:path'

/** Where the stack of npm run dev keeps its data and its variables. */
export const devFolder = resolve(process.env['MALIPO_FOLDER'] || join(import.meta.dirname, '../../../../.malipo'))

/** The same path for people: relative where it is below the current folder. */
export const shownFolder = relative(process.cwd(), devFolder).startsWith('..')
  ? devFolder
  : relative(process.cwd(), devFolder)
