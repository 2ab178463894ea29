/**
 * npm run dev: a Malipo with its data in .malipo/, until Ctrl-C. --fresh starts with empty data. MALIPO_PORT chooses its port,
 * MALIPO_FOLDER its data folder.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { isRunning, registeredFolders, registryPath } from '../packages/cli/src/dev-stack.ts'
import { devFolder, foreignFolder, markFolder, shownFolder } from '../packages/server/src/dev-stack/dev-folder.ts'
import { freePort, isListening } from '../packages/server/src/dev-stack/processes.ts'

const usualPort = 8080
const orphanEveryMs = 500
const registry = registryPath(process.env)

const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } })
const foreign = process.env['MALIPO_FOLDER'] ? foreignFolder(devFolder) : undefined
if (foreign !== undefined)
  refuse(`MALIPO_FOLDER is ${devFolder}, which ${foreign}. Set it to a new or an empty folder; nothing was changed.`)
const pid = runningPid(join(devFolder, 'api.pid'))
if (pid !== undefined) refuse(`npm run dev is already running as process ${pid}. Stop it with Ctrl-C in its window.`)
const port = await choosePort(process.env['MALIPO_PORT'])
if (values.fresh) rmSync(devFolder, { recursive: true, force: true })
markFolder(devFolder)

const stopped = untilStopped()
console.log(`Starting Malipo on port ${port}, with its data in ${shownFolder}.`)
/** Modules load in half the time from the second start on. The processes of the stack use the same cache. */
process.env['NODE_COMPILE_CACHE'] ??= join(devFolder, 'compiled')
enableCompileCache(process.env['NODE_COMPILE_CACHE'])
const { startStack } = await import('../packages/server/src/dev-stack/stack.ts')
const stack = await startStack(devFolder, { isKept: true, port, publicHost: 'localhost', onStep: showStep })
showStep('ready')
// `npm run malipo` reads this, so that commands use this stack without further settings.
const lines = Object.entries(stack.exports).map(([name, value]) => `${name}=${value}`)
writeFileSync(join(devFolder, 'env'), `${lines.join('\n')}\n`, { mode: 0o600 })
register()
for (const note of stack.notes) console.log(note)
console.log(greeting(stack.exports))
await stopped
console.log(`\nStopping. The data stays in ${shownFolder}.`)
unregister()
await stack.stop()
process.exit(0)

/** An installed malipo finds this stack by its line, from any folder. */
function register(): void {
  writeRegistry([...otherStacks(), devFolder])
}

function unregister(): void {
  writeRegistry(otherStacks())
}

/** A folder that was deleted is forgotten. */
function otherStacks(): string[] {
  return registeredFolders(process.env).filter((folder) => folder !== devFolder && existsSync(folder))
}

function writeRegistry(folders: readonly string[]): void {
  if (registry === undefined) return
  mkdirSync(dirname(registry), { recursive: true, mode: 0o700 })
  rmSync(registry, { force: true }) // So that the new file has the right mode.
  if (folders.length > 0) writeFileSync(registry, `${folders.join('\n')}\n`, { mode: 0o600 })
}

/** A line with the seconds since the start of this process. */
function showStep(step: string): void {
  console.log(`${process.uptime().toFixed(1).padStart(6)} s  ${step}`)
}

/** A requested port must be free; the default port is replaced when it is taken. */
async function choosePort(asked: string | undefined): Promise<number> {
  if (asked !== undefined && !/^[1-9]\d{0,4}$/.test(asked))
    refuse(`MALIPO_PORT is ${asked}, which is not a port. Set it to a number from 1 to 65535.`)
  const wanted = asked === undefined ? usualPort : Number(asked)
  if (!(await isListening(wanted))) return wanted
  if (asked !== undefined)
    refuse(`Port ${wanted} is taken. Stop what listens there, or set MALIPO_PORT to another and start again.`)
  const other = await freePort()
  console.log(`Port ${wanted} is taken; using ${other} instead. Set MALIPO_PORT to choose one yourself.`)
  return other
}

/**
 * By a signal, which npm passes on to its script; or because npm itself was killed. The script uses exec, so that no shell stands
 * between the two and hides either.
 */
function untilStopped(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
    setInterval(() => process.ppid !== parent && resolve(), orphanEveryMs).unref()
  })
}

function runningPid(path: string): string | undefined {
  const found = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return isRunning(found) ? found : undefined
}

function refuse(reason: string): never {
  console.error(reason)
  process.exit(1)
}

function greeting(exports: Readonly<Record<string, string>>): string {
  const bold = (text: string) => styleText('bold', text)
  const { MALIPO_URL, MALIPO_PUBLIC_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY } = exports
  return `
${bold('Malipo is running')} at ${MALIPO_URL}
  API reference   ${MALIPO_URL}/docs
  sign-in         ${MALIPO_PUBLIC_URL}/sign-in, after npm run malipo -- people invite --break-glass …
  logs            ${shownFolder}/*.log
  all variables   ${shownFolder}/env

${bold('Sandbox key pair')} of Duka Moja
  public key      ${MALIPO_PUBLIC_KEY}
  API key         ${MALIPO_API_KEY}

${bold('Your first calls')}
  TOKEN=$(curl -s ${MALIPO_URL}/api/b2b/auth/generate-bearer-token \\
    -H 'api-key: ${MALIPO_API_KEY}' \\
    -H 'content-type: application/json' \\
    -d '{"publicKey":"${MALIPO_PUBLIC_KEY}"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s ${MALIPO_URL}/api/b2b/fiat/deposit/momo -H "authorization: Bearer $TOKEN" \\
    -H 'content-type: application/json' \\
    -d '{"amount":100,"currency":"KES","phoneNumber":"+254703456789","externalReference":"order-1"}'
  curl -s ${MALIPO_URL}/api/b2b/transactions/order-1 -H "authorization: Bearer $TOKEN"

In another window:  npm run malipo -- listen

Stop with Ctrl-C; the data stays. npm run dev -- --fresh deletes all data and starts empty.
`
}
