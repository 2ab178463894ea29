import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Contents, sync, syncFolderOf } from './month-file.ts'

/** A month in the manifest of an archive. */
export interface ManifestMonth extends Contents {
  /** `2025-01`. */
  readonly month: string
  readonly file: string
  readonly sha256: string
  readonly bytes: number
  /** The first seal that covers all batches of the file. */
  readonly seal: { readonly number: number; readonly hash: string }
}

export interface Manifest {
  readonly version: 1
  readonly cell: number
  readonly months: readonly ManifestMonth[]
}

/** A folder that is not the archive of this database, or lacks a file of it. */
export class ArchiveInvalid extends Error {
  override readonly name = 'ArchiveInvalid'
}

/** A file or the manifest of an archive is not what was written. */
export class ArchiveChanged extends Error {
  override readonly name: string = 'ArchiveChanged'
}

/** A file of an archive is gone, and its transfers with it. */
export class ArchiveMissing extends ArchiveChanged {
  override readonly name: string = 'ArchiveMissing'
}

/** The name has the hash, so no run writes over the file of another. */
export const fileOf = (month: string, hash: Buffer) => `transfers-${month}-${hash.toString('hex').slice(0, 16)}.tsv.gz`

const pathOf = (folder: string) => join(folder, 'manifest.json')

export async function readManifest(folder: string, cell: number): Promise<Manifest> {
  const text = await readFile(pathOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { version: 1, cell, months: [] }
  const manifest = parse(folder, text)
  if (manifest.version !== 1)
    throw new ArchiveInvalid(`${pathOf(folder)} has version ${manifest.version}; this release reads version 1`)
  if (manifest.cell !== cell)
    throw new ArchiveInvalid(`the archive in ${folder} is of cell ${manifest.cell}, and this is cell ${cell}`)
  return manifest
}

function parse(folder: string, text: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest
    if (!Array.isArray(manifest.months)) throw new Error('it has no months')
    return manifest
  } catch (cause) {
    throw new ArchiveInvalid(`${pathOf(folder)} is not a manifest`, { cause })
  }
}

/** Adds a month in place of an earlier one of the same name. The file is replaced as a whole. */
export async function addToManifest(folder: string, cell: number, month: ManifestMonth): Promise<void> {
  const { months } = await readManifest(folder, cell)
  const others = months.filter((each) => each.month !== month.month)
  const manifest: Manifest = {
    ...{ version: 1, cell },
    months: [...others, month].sort((left, right) => (left.month < right.month ? -1 : 1)),
  }
  const partial = `${pathOf(folder)}.partial`
  await writeFile(partial, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 })
  await sync(partial)
  await rename(partial, pathOf(folder))
  await syncFolderOf(pathOf(folder))
}
