import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { sync, syncFolderOf, withPartial } from './month-file.ts'

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const BigNumber = Type.String({ pattern: '^[0-9]{1,18}$' })

const MonthShape = Type.Object({
  /** `2025-01`. */
  month: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$' }),
  file: Type.String(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Count,
  transfers: Count,
  firstBatch: BigNumber,
  lastBatch: BigNumber,
  amounts: Type.Record(Type.String(), Type.String()),
  /** The first seal that covers all batches of the file. */
  seal: Type.Object({ number: Count, hash: Type.String({ pattern: '^[0-9a-f]*$' }) }),
})

/** A file in the manifest of an archive. A month that was restored and archived again has several: a backup needs the earlier one. */
export type ManifestMonth = Readonly<Static<typeof MonthShape>>

const isVersioned = Compile(Type.Object({ version: Count }))
const isManifest = Compile(Type.Object({ version: Type.Literal(1), cell: Count, months: Type.Array(MonthShape) }))

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
  if (manifest.cell !== cell)
    throw new ArchiveInvalid(`the archive in ${folder} is of cell ${manifest.cell}, and this is cell ${cell}`)
  const renamed = manifest.months.find(({ month, file, sha256 }) => file !== fileOf(month, Buffer.from(sha256, 'hex')))
  if (renamed)
    throw new ArchiveChanged(`the manifest in ${folder} was changed: it has a wrong file name for ${renamed.month}`)
  return manifest
}

/** Everything that reads a manifest relies on this shape. */
function parse(folder: string, text: string): Manifest {
  const value = parsed(text)
  if (isManifest.Check(value)) return value
  if (isVersioned.Check(value) && value.version !== 1)
    throw new ArchiveInvalid(`${pathOf(folder)} has version ${value.version}; this release reads version 1`)
  throw new ArchiveInvalid(`${pathOf(folder)} is not a manifest. Move it away: the database knows the files`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Adds a file. The manifest is replaced as a whole. */
export async function addToManifest(folder: string, cell: number, added: ManifestMonth): Promise<void> {
  const { months } = await readManifest(folder, cell)
  const others = months.filter(({ file }) => file !== added.file)
  const manifest: Manifest = {
    ...{ version: 1, cell },
    months: [...others, added].sort((left, right) => left.month.localeCompare(right.month)),
  }
  await withPartial(pathOf(folder), async (partial) => {
    await writeFile(partial, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await sync(partial)
    await rename(partial, pathOf(folder))
  })
  await syncFolderOf(pathOf(folder))
}
