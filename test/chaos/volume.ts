import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../../packages/server/src/dev-stack/until.ts'

const run = promisify(execFile)

/** A disk for the database alone, which can be filled and can lose power. */
export interface Volume {
  readonly path: string
  /** Takes every free block. */
  fill(): Promise<void>
  drain(): void
  /** Unflushed writes no longer reach the device. */
  cutPower(): Promise<void>
  /** As after a power cut: mounted again, with its journal replayed. No process may use it meanwhile. */
  remount(): Promise<void>
  remove(): Promise<void>
}

const sizeBytes = 6 * 2 ** 30 // The file is sparse: it uses only what is written to it.

/** EXT4_IOC_SHUTDOWN without a flush of the log, for which Node has no call. */
const powerCut = `import fcntl, os, struct, sys
volume = os.open(sys.argv[1], os.O_RDONLY)
fcntl.ioctl(volume, 0x8004587D, struct.pack("I", 2))`

/** Returns a reason instead where this machine does not allow mounts. */
export async function mountVolume(folder: string): Promise<Volume | string> {
  const [image, path] = [join(folder, 'volume.img'), join(folder, 'volume')]
  const mount = () => run('mount', ['-o', 'loop', image, path])
  try {
    writeFileSync(image, '')
    truncateSync(image, sizeBytes)
    await run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=1', image], { env: { PATH: programs } })
    mkdirSync(path)
    await mount()
  } catch (error) {
    return `no separate volume could be mounted (${(error as Error).message.split('\n')[0]})`
  }
  const guard = guardMount(path)
  const filler = join(path, 'filler')
  return {
    path,
    fill: () => fill(path, filler),
    drain: () => rmSync(filler, { force: true }),
    cutPower: async () => void (await run('python3', ['-c', powerCut, path])),
    remount: async () => {
      await unmount(path)
      await insist(path, true, mount)
      rmSync(filler, { force: true }) // Its removal may have been lost too.
    },
    remove: async () => {
      await unmount(path)
      guard.kill('SIGKILL')
    },
  }
}

const programs = '/usr/sbin:/usr/bin:/sbin:/bin'

async function fill(path: string, filler: string): Promise<void> {
  const { bavail, bsize } = statfsSync(path)
  const reserve = 2 * bsize
  const take = (bytes: number) => run('fallocate', ['-l', String(Math.max(bytes, bsize)), filler])
  await take(Number(bavail) * Number(bsize) - Number(reserve)).catch(() => undefined) // Less is free by now.
}

const isMounted = (path: string) => readFileSync('/proc/mounts', 'utf8').includes(` ${path} `)

/** A process that was just killed may still hold a file, and the device of the previous mount may still be in use. */
async function insist(path: string, isWanted: boolean, work: () => Promise<unknown>): Promise<void> {
  let last = ''
  const isSo = async () => {
    if (isMounted(path) !== isWanted)
      await work().catch((error: Error) => {
        last = error.message
      })
    return isMounted(path) === isWanted
  }
  await until(`${path} to be ${isWanted ? 'mounted' : 'unmounted'}`, isSo, { timeoutMs: 60_000 }).catch((error) => {
    throw new Error(`${(error as Error).message}: ${last}`)
  })
}

const unmount = (path: string) =>
  insist(path, false, async () => {
    evict(path)
    await run('umount', [path])
  })

/** A server killed during its start may leave processes behind that use its data. */
function evict(path: string): void {
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`).startsWith(`${path}/`)) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

/** Unmounts and removes the folder if this process dies before it does so. */
function guardMount(path: string): ChildProcess {
  const script = 'cat; sleep 1; umount -l "$0"; rmdir "$0" "$(dirname "$0")"'
  return spawn('sh', ['-c', script, path], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
}

/** Whether this machine can cut the power of a volume. */
export const canCutPower = () => ['/usr/bin/python3', '/usr/local/bin/python3'].some(existsSync)

const timeLibraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`,
)

/** Environment that gives a process another wall clock, where the library is installed. Monotonic clocks stay right. */
export function anotherTime(offset: string): Readonly<Record<string, string>> | undefined {
  const library = timeLibraries.find(existsSync)
  return library ? { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' } : undefined
}
