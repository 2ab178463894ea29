import { execFileSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { programFolders } from '../packages/server/src/dev-stack/postgres.ts'
import { findProgram } from '../packages/server/src/dev-stack/processes.ts'
import { median, rounded } from './bench.ts'

/** The machine of the measurements. */
export interface Rig {
  readonly cores: number
  readonly processor: string
  readonly memoryGiB: number
  readonly node: string
  readonly postgres: string
  readonly nats: string
  /** To write 8 KiB and have it on disk, the minimum cost of a commit. */
  readonly fsyncMicroseconds: number
}

export function describeRig(): Rig {
  const [processor] = cpus()
  return {
    cores: cpus().length,
    processor: processor?.model ?? 'not known',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres: versionOf('postgres', programFolders(), 'postgresql'),
    nats: versionOf('nats-server', ['/usr/sbin'], 'nats-server'),
    fsyncMicroseconds: fsyncMicroseconds(),
  }
}

function versionOf(program: string, folders: readonly string[], from: string): string {
  const text = execFileSync(findProgram(program, folders, from), ['--version'], { encoding: 'utf8' })
  return /\d+(\.\d+)+/.exec(text)?.[0] ?? 'not known'
}

function fsyncMicroseconds(): number {
  const path = join(tmpdir(), `malipo-fsync-${process.pid}`)
  const file = openSync(path, 'w')
  try {
    const page = Buffer.alloc(8192)
    const times = Array.from({ length: 300 }, (_, index) => {
      const startedAt = performance.now()
      writeSync(file, page, 0, page.length, index * page.length)
      fdatasyncSync(file)
      return (performance.now() - startedAt) * 1000
    })
    return rounded(median(times))
  } finally {
    closeSync(file)
    rmSync(path)
  }
}
