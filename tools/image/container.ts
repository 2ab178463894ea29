import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Service, startService } from '../../packages/server/src/dev-stack/processes.ts'

/** Runs an image as an orchestrator does: its own user, a read-only root, a small /tmp and secrets as files. Needs root. */
export interface Image {
  readonly megabytes: number
  /** Starts a role and waits until it is ready. */
  start(name: string, args: readonly string[], env: Variables, isReady: () => Promise<boolean>): Promise<Service>
  /** Runs a command to its end and returns its output. */
  run(args: readonly string[], env: Variables): string
  /** Runs a script in the image's Node. */
  evaluate(script: string): string
  close(): void
}

export type Variables = Readonly<Record<string, string>>

interface Settings {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly [string, ...string[]]
}

/** Only this process tree sees the mounts. The last program replaces the shell, so that a signal reaches Malipo itself. */
const enter = `mount --bind "$0" "$0"
mount -o remount,bind,ro "$0"
mount -t tmpfs -o size=64m,mode=1777 tmpfs "$0/tmp"
mount --bind "$1" "$0/run/secrets"
user=$2; root=$0; shift 2
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"`

/** `folder` gets the logs, and the secrets by file name. */
export function openImage(name: string, folder: string, secrets: Variables): Image {
  const container = buildah('from', '--pull-never', name)
  const root = buildah('mount', container)
  const { config } = (JSON.parse(buildah('inspect', '--type', 'image', name)) as { OCIv1: { config: Settings } }).OCIv1
  const { User, Env, Entrypoint } = config
  const [uid = 0, gid = 0] = User.split(':').map(Number)
  const secretFolder = writeSecrets(join(folder, 'secrets'), secrets, { uid, gid })
  const defaults = Object.fromEntries(Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2))) as Variables
  const within = (command: readonly string[]) => [
    ...['--mount', '--propagation', 'private', 'sh', '-ec', enter, root, secretFolder, User],
    ...command,
  ]
  const evaluated = (command: readonly string[], env: Variables) =>
    execFileSync('unshare', within(command), {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...defaults, ...env },
    })
  return {
    megabytes: Math.round(bytesIn(root) / 1_000_000),
    start: (service, args, env, isReady) =>
      startService({
        name: service,
        command: 'unshare',
        args: within([...Entrypoint, ...args]),
        env: { PATH: process.env['PATH'], ...defaults, ...env },
        folder,
        isReady,
      }),
    run: (args, env) => evaluated([...Entrypoint, ...args], env),
    evaluate: (script) => evaluated([Entrypoint[0], '--eval', script], {}),
    close: () => {
      buildah('umount', container)
      buildah('rm', container)
    },
  }
}

const buildah = (...args: readonly string[]) => execFileSync('buildah', args, { encoding: 'utf8' }).trim()

const bytesIn = (root: string) => Number(execFileSync('du', ['-sb', root], { encoding: 'utf8' }).split('\t')[0])

function writeSecrets(folder: string, secrets: Variables, { uid, gid }: { uid: number; gid: number }): string {
  mkdirSync(folder)
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value, { mode: 0o400 })
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(path, uid, gid)
  return folder
}
