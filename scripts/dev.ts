/**
 * npm run dev: a Malipo with its data in .malipo/, until Ctrl-C. --fresh starts with empty data, --demo with a month of payments,
 * --lan listens in the local network too, --no-dashboard does not build the dashboard, --links prints new sign-in links of the stack
 * that runs. MALIPO_PORT chooses its port, MALIPO_FOLDER its data folder.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { findProjectStack, isRunning, registeredFolders, registryPath } from '../packages/cli/src/dev-stack.ts'
import { devFolder, foreignFolder, markFolder, shownFolder } from '../packages/server/src/dev-stack/dev-folder.ts'
import { freePort, isListening } from '../packages/server/src/dev-stack/processes.ts'
import { buildDashboard, isDashboardBuilt, isDashboardStale } from '../tools/dashboard/build.ts'
import { greeting, linkLines } from '../tools/dev/greeting.ts'
import { lanAddress } from '../tools/dev/handset-link.ts'

const usualPort = 8080
const orphanEveryMs = 500
const demoSeed = 24
const registry = registryPath(process.env)

const { values } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    demo: { type: 'boolean', default: false },
    lan: { type: 'boolean', default: false },
    'no-dashboard': { type: 'boolean', default: false },
    links: { type: 'boolean', default: false },
  },
})
const foreign = process.env['MALIPO_FOLDER'] ? foreignFolder(devFolder) : undefined
if (foreign !== undefined)
  refuse(`MALIPO_FOLDER is ${devFolder}, which ${foreign}. Set it to a new or an empty folder; nothing was changed.`)
if (values.links) await printLinks()
const pid = runningPid(join(devFolder, 'api.pid'))
if (pid !== undefined) refuse(`npm run dev is already running as process ${pid}. Stop it with Ctrl-C in its window.`)
const port = await choosePort(process.env['MALIPO_PORT'])
const lan = values.lan ? lanAddress() : undefined
if (values.lan && lan === undefined) refuse('--lan needs a network, and this machine has only its own address.')
if (values.fresh) rmSync(devFolder, { recursive: true, force: true })
if (values.demo && existsSync(join(devFolder, 'memory.json')))
  refuse('--demo needs a stack without data. Run npm run dev -- --fresh --demo, which deletes what is there.')
markFolder(devFolder)

const stopped = untilStopped()
const hasDashboard = values['no-dashboard'] ? isDashboardBuilt() : prepareDashboard()
console.log(`Starting Malipo on port ${port}, with its data in ${shownFolder}.`)
/** Modules load in half the time from the second start on. The processes of the stack use the same cache. */
process.env['NODE_COMPILE_CACHE'] ??= join(devFolder, 'compiled')
enableCompileCache(process.env['NODE_COMPILE_CACHE'])
const { startStack } = await import('../packages/server/src/dev-stack/stack.ts')
const { signInLinks } = await import('../packages/server/src/dev-stack/people.ts')
const demo = values.demo ? await import('../tools/demo/run.ts') : undefined
const stack = await startStack(devFolder, {
  ...{ isKept: true, isDevelopment: true, port, publicHost: 'localhost', onStep: showStep },
  ...(demo && { daysAgo: demo.demoDays + 1 }),
  ...(lan !== undefined && { host: '0.0.0.0' }),
})
const receiver = await startDemoReceiver()
if (demo && receiver) {
  const made = demo.runDemo({ variables: stack.exports, receiver, seed: demoSeed, onStep: showStep })
  // Ctrl-C ends an unfinished demo: its clock is put right at the next start.
  if ((await Promise.race([stopped.then(() => 'stopped'), made.then(() => 'made')])) === 'stopped') await end()
}
const links = await signInLinks(stack.exports)
showStep('ready')
// `npm run malipo` reads this, so that commands use this stack without further settings.
const lines = Object.entries(stack.exports).map(([name, value]) => `${name}=${value}`)
writeFileSync(join(devFolder, 'env'), `${lines.join('\n')}\n`, { mode: 0o600 })
register()
for (const note of stack.notes) console.log(note)
console.log(greeting({ exports: stack.exports, links, folder: shownFolder, lan, hasDashboard }))
await stopped
await end()

async function end(): Promise<never> {
  console.log(`\nStopping. The data stays in ${shownFolder}.`)
  unregister()
  await stack.stop()
  process.exit(0)
}

/** The systems of the demo's shop get webhooks at every start of a stack with a demo. */
async function startDemoReceiver() {
  const path = join(devFolder, 'demo-port')
  if (!(values.demo || existsSync(path))) return undefined
  const { startReceiver } = await import('../tools/demo/receiver.ts')
  const started = await startReceiver(existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0)
  writeFileSync(path, new URL(started.url).port)
  return started
}

/** A stack without a dashboard is still useful: a failed build is reported, and the start continues. */
function prepareDashboard(): boolean {
  if (!isDashboardStale()) return true
  console.log('Building the dashboard, whose sources have changed. --no-dashboard skips this.')
  const problem = buildDashboard()
  if (problem !== undefined) console.error(`The dashboard was not built:\n${problem}`)
  return problem === undefined
}

async function printLinks(): Promise<never> {
  process.env['MALIPO_FOLDER'] ||= devFolder
  const running = findProjectStack({ variables: process.env, folder: process.cwd() })
  if (!running) refuse('npm run dev is not running. Start it: it prints sign-in links.')
  const { signInLinks } = await import('../packages/server/src/dev-stack/people.ts')
  console.log(linkLines(await signInLinks(running.variables)))
  process.exit(0)
}

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
