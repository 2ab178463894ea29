import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { until } from './until.ts'

/** A process that we started, with its log in a file. */
export interface Service {
  readonly name: string
  readonly pid: number
  /** Sends the signal, and kills the process if it has not ended within thirty seconds. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface ServiceOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The folder for its pid and log. */
  readonly folder: string
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly isReady: () => Promise<boolean>
}

/** Node's compile cache, where one is set. A process whose whole environment is given needs it there: it starts in half the time. */
export const compiled = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }

/** Starts a process in its own session, so that Ctrl-C reaches only the processes that clean up, and waits until it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { name, command, args, folder, user } = options
  const logPath = join(folder, `${name}.log`)
  const log = openSync(logPath, 'w')
  const env = options.env && { ...compiled, ...options.env }
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env, ...user })
  closeSync(log)
  const pidPath = join(folder, `${name}.pid`)
  if (child.pid !== undefined) writePid(pidPath, child.pid)
  const isAlive = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined
  const tail = () => readFileSync(logPath, 'utf8').split('\n').slice(-15).join('\n')
  child.on('error', () => undefined) // Seen below as a process that is not alive.
  const isUp = async () => {
    if (!isAlive()) throw new Error(`${name} ended while starting:\n${tail()}`)
    return options.isReady()
  }
  await until(`${name} to be ready`, isUp).catch(async (error) => {
    if (isAlive()) child.kill('SIGKILL')
    throw new Error(`${name} is not ready:\n${tail()}`, { cause: error })
  })
  return {
    name,
    pid: child.pid ?? 0,
    stop: async (signal = 'SIGTERM') => {
      await stop(child, signal)
      rmSync(pidPath, { force: true }) // The number may belong to another process later.
    },
  }
}

/** Only its owner may read it: malipo uses a stack only if no other user can have written its files. */
function writePid(path: string, pid: number): void {
  rmSync(path, { force: true }) // An older file would keep its mode.
  writeFileSync(path, String(pid), { mode: 0o600 })
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), 30_000)
  await ended
  clearTimeout(patience)
}

/**
 * Ends the processes in a folder and removes it if this process dies before it could, even by kill -9: the guard waits for the
 * end of a pipe that only this process holds open. It ends only what starts after it: the number in a file that is there already
 * may belong to another process by now.
 */
export function guardFolder(folder: string, { isKept }: { isKept: boolean }): { dismiss(): Promise<void> } {
  for (const path of globSync(join(folder, '*.pid'))) rmSync(path, { force: true })
  const end = `pid=$(cat "$file"); case "$pid" in ''|0*|1|*[!0-9]*) ;; *) kill -KILL "$pid";; esac`
  const script = `cat; for file in "$0"/*.pid; do ${end}; done; rm -rf ${isKept ? '"$0"/*.pid' : '"$0"'}`
  const guard = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  return {
    dismiss: async () => {
      if (!isKept) rmSync(folder, { recursive: true, force: true })
      await stop(guard, 'SIGKILL')
    },
  }
}

/** A folder that other users of the machine may traverse, but not list. */
export function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o711)
  return path
}

/** A port without a listener at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return isOpen
}

/** The first place that holds the program, or an error that names its package. */
export function findProgram(name: string, places: readonly string[], debianPackage: string): string {
  const found = tryFindProgram(name, places)
  if (found !== undefined) return found
  throw new Error(
    `${name} was not found. Install it (Debian and Ubuntu: apt-get install ${debianPackage}) or put its folder on PATH.`,
  )
}

/** The first place that holds the program; PATH comes last. */
export function tryFindProgram(name: string, places: readonly string[]): string | undefined {
  const paths = [...places.map((place) => join(place, name)), name]
  return paths.find((path) => !spawnSync(path, ['--version'], { stdio: 'ignore' }).error)
}
