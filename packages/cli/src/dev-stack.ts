import { basename, dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import type { CliEnvironment } from './cli-environment.ts'
import { isOwnFolder, readPrivateFile } from './private-file.ts'

type Variables = CliEnvironment['variables']

/** A stack that `npm run dev` runs on this machine, and the variables that it wrote for programs. */
export interface DevStack {
  readonly folder: string
  readonly variables: Variables
}

const folderName = '.malipo'

/** The data folder of `npm run dev`: the one in MALIPO_FOLDER, else `.malipo` in the current folder or in one above it. */
export function findDevFolder({ variables, folder }: CliEnvironment): string | undefined {
  const named = variables['MALIPO_FOLDER']
  return (named ? [named] : foldersAbove(folder).map((place) => join(place, folderName))).find(isOwnFolder)
}

/**
 * The running stack of this project: the one in MALIPO_FOLDER, else one that `npm run dev` registered. A `.malipo` that came with
 * an archive or a clone is not registered, so entering such a folder does not choose the server that commands call.
 */
export function findProjectStack(cli: Pick<CliEnvironment, 'variables' | 'folder'>): DevStack | undefined {
  const named = cli.variables['MALIPO_FOLDER']
  if (named) return runningStack(named)
  const registered = registeredFolders(cli.variables).filter((folder) => basename(folder) === folderName)
  return foldersAbove(cli.folder)
    .map((place) => join(place, folderName))
    .filter((folder) => registered.includes(folder))
    .map(runningStack)
    .find((stack) => stack !== undefined)
}

/** The stack that was started last on this machine, wherever its project is. */
export function findLastStack({ variables }: CliEnvironment): DevStack | undefined {
  return registeredFolders(variables)
    .map(runningStack)
    .findLast((stack) => stack !== undefined)
}

/** The place of a stack for people: its project, or its data folder where that has a name of its own. */
export const placeOf = ({ folder }: DevStack) => (basename(folder) === folderName ? dirname(folder) : folder)

/** Where `npm run dev` registers its data folder: a line for each stack, the last one started last. */
export function registryPath({ XDG_STATE_HOME: state, HOME, USERPROFILE }: Variables): string | undefined {
  const home = HOME || USERPROFILE
  if (!(state || home)) return undefined
  return join(state || join(home ?? '', '.local', 'state'), 'malipo', 'dev-stack')
}

export function registeredFolders(variables: Variables): string[] {
  const path = registryPath(variables)
  const text = path === undefined ? undefined : readPrivateFile(path)
  return (text ?? '').split('\n').filter((line) => line !== '')
}

/** The current folder and every folder above it, nearest first. */
function foldersAbove(folder: string | undefined): string[] {
  if (folder === undefined) return []
  return folder === dirname(folder) ? [folder] : [folder, ...foldersAbove(dirname(folder))]
}

function runningStack(folder: string): DevStack | undefined {
  if (!isOwnFolder(folder)) return undefined
  const text = readPrivateFile(join(folder, 'env'))
  const pid = readPrivateFile(join(folder, 'api.pid'))
  return text !== undefined && pid !== undefined && isRunning(pid) ? { folder, variables: parseEnv(text) } : undefined
}

/** Whether a process of this user has this number. 0 and negative numbers would name groups; 1 is never a stack. */
export function isRunning(pid: string): boolean {
  if (!/^[1-9]\d*$/.test(pid) || pid === '1') return false
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
