import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'

/** Follows no link and does not wait for the writer of a pipe; Windows has neither flag. */
export const safeReading = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

const isOwn = ({ uid }: Stats) => process.getuid === undefined || uid === process.getuid()

const isClosedTo = ({ mode }: Stats, bits: number) => process.getuid === undefined || (mode & bits) === 0

/**
 * The text of a file that belongs to this user and that no other user can read or write; otherwise undefined, because another
 * user could name a false server in it. What is checked is the open file, so that it cannot be exchanged before it is read.
 */
export function readPrivateFile(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, safeReading)
  } catch {
    return undefined
  }
  try {
    const found = fstatSync(file)
    return isOwnFile(found) && isClosedTo(found, 0o077) ? readFileSync(file, 'utf8') : undefined
  } finally {
    closeSync(file)
  }
}

export const isOwnFile = (found: Stats) => found.isFile() && isOwn(found)

/** Whether a folder belongs to this user and no other user can add, replace or delete its files. */
export function isOwnFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && isOwn(found) && isClosedTo(found, 0o022)
}
