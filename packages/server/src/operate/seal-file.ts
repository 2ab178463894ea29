import { existsSync, readFileSync } from 'node:fs'

/** The seals kept outside the database; none when the file is not kept on this machine. */
export function readSealLines(path: string | undefined): string[] {
  return path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}
