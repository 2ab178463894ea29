import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import type { CliEnvironment } from './cli-environment.ts'

type Variables = CliEnvironment['variables']

/** A stack that `npm run dev` runs on this machine, and the variables that it wrote for programs. */
export interface DevStack {
  readonly folder: string
  readonly variables: Variables
}

/** The data folder of `npm run dev`: the one in MALIPO_FOLDER, else `.malipo` in the current folder or in one above it. */
export function findDevFolder({ variables, folder }: CliEnvironment): string | undefined {
  const named = variables['MALIPO_FOLDER']
  if (named) return named
  for (let place = folder; place !== undefined; place = place === dirname(place) ? undefined : dirname(place)) {
    const found = join(place, '.malipo')
    if (existsSync(join(found, 'env'))) return found
  }
  return undefined
}

/** The running stack of this project. */
export function findProjectStack(cli: CliEnvironment): DevStack | undefined {
  return runningStack(findDevFolder(cli))
}

/** The stack that was started last on this machine, wherever its project is. */
export function findLastStack({ variables }: CliEnvironment): DevStack | undefined {
  const path = pointerPath(variables)
  if (path === undefined || !isPrivate(path)) return undefined
  return runningStack(readFileSync(path, 'utf8').trim())
}

/** Where `npm run dev` writes the path of its data folder. */
export function pointerPath({ XDG_STATE_HOME: state, HOME, USERPROFILE }: Variables): string | undefined {
  const home = HOME || USERPROFILE
  if (!(state || home)) return undefined
  return join(state || join(home ?? '', '.local', 'state'), 'malipo', 'dev-stack')
}

function runningStack(folder: string | undefined): DevStack | undefined {
  if (folder === undefined) return undefined
  const path = join(folder, 'env')
  return isPrivate(path) && isRunning(join(folder, 'api.pid'))
    ? { folder, variables: parseEnv(readFileSync(path, 'utf8')) }
    : undefined
}

/** Only a file that its owner alone can read and write, and that belongs to this user: another user could name a false server. */
function isPrivate(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) return false
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
}

function isRunning(pidPath: string): boolean {
  if (!existsSync(pidPath)) return false
  try {
    return process.kill(Number(readFileSync(pidPath, 'utf8')), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // Alive, as another user.
  }
}
