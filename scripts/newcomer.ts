/**
 * npm run newcomer [-- plain|blank|port|nats|network]: follows the quick start of README.md on a clean clone, types only
 * what it says, and prints the output, with the seconds since `npm ci` ended. Fails when the last promise of README.md, the first
 * webhook, is not seen within 120 seconds.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { missingWords } from '../tools/docs/doc-shape.ts'
import { type Fence, fencesOf } from '../tools/docs/markdown.ts'

const root = join(import.meta.dirname, '..')
const secondsMax = 120
const installMinutesMax = 10

const hideNats = `for place in /usr/sbin /usr/bin /usr/local/bin /usr/local/sbin; do
  [ ! -e "$place/nats-server" ] || mount --bind /dev/null "$place/nats-server"; done`

/** Obstacles for a newcomer, some with a separate environment in which they exist. */
const variants = {
  plain: { about: 'nothing' },
  blank: { about: 'a blank in the path of the clone' },
  port: { about: 'another program on port 8080' },
  nats: { about: 'no nats-server', world: ['--mount'], prepare: hideNats },
  network: { about: 'no network once npm ci is done', world: ['--net'], prepare: 'ip link set lo up' },
} as const satisfies Record<string, { about: string; world?: readonly string[]; prepare?: string }>

type Variant = keyof typeof variants

const isVariant = (name: string): name is Variant => Object.hasOwn(variants, name)

const [asked = 'plain', clone = '', installedAt = ''] = process.argv.slice(2)
if (asked === 'inside') process.exitCode = await tryOut(clone, Number(installedAt))
else if (isVariant(asked)) process.exitCode = await follow(asked)
else {
  console.error(`usage: npm run newcomer [-- ${Object.keys(variants).join('|')}]`)
  process.exitCode = 2
}

async function follow(variant: Variant): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-newcomer-'))
  const place = join(folder, variant === 'blank' ? 'my projects/malipo' : 'malipo')
  const taken = variant === 'port' ? createServer().listen(8080, '127.0.0.1') : undefined
  console.log(`A clean clone; obstacle: ${variants[variant].about}.`)
  try {
    execFileSync('git', ['clone', '--quiet', root, place])
    execFileSync('chmod', ['711', folder])
    await install(place)
    const [program, ...args] = [
      ...worldOf(variant),
      process.execPath,
      import.meta.filename,
      'inside',
      place,
      String(Date.now()),
    ]
    const inside = spawn(program ?? '', args, { stdio: 'inherit' })
    const [code] = (await once(inside, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    taken?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A namespace where the variant is true: the machine itself stays unchanged. */
function worldOf(variant: Variant): string[] {
  const chosen: { about: string; world?: readonly string[]; prepare?: string } = variants[variant]
  if (!chosen.world) return []
  const asUser = process.getuid?.() === 0 ? [] : ['--map-current-user', '--keep-caps']
  return ['unshare', ...chosen.world, ...asUser, 'sh', '-ec', `${chosen.prepare}; exec "$@"`, 'sh']
}

async function install(place: string): Promise<void> {
  const startedAt = performance.now()
  const window = openWindow(place, (line) => console.log(`          npm ci   │ ${line}`))
  window.type('npm ci && exit')
  await until('npm ci to be done', () => !window.isOpen(), { timeoutMs: installMinutesMax * 60_000 })
  console.log(`npm ci took ${((performance.now() - startedAt) / 1000).toFixed(0)} s. From here on the clock runs.\n`)
}

async function tryOut(place: string, since: number): Promise<number> {
  const windows: Window[] = []
  const seconds = () => (Date.now() - since) / 1000
  try {
    await typeStart(place, windows, (name, line) =>
      console.log(`${seconds().toFixed(1).padStart(6)} s  ${name} │ ${line}`),
    )
    console.log(`\nThe first webhook was seen ${seconds().toFixed(1)} s after npm ci was done.`)
    return seconds() <= secondsMax ? 0 : 1
  } catch (error) {
    console.error(`\nREADME.md does not lead to a first webhook: ${(error as Error).message}`)
    return 1
  } finally {
    for (const window of windows.reverse()) await window.close()
  }
}

/** Types every block named `start` into a separate window; the text after them must be seen in the end. */
async function typeStart(place: string, windows: Window[], see: (name: string, line: string) => void): Promise<void> {
  const blocks = fencesOf(readFileSync(join(place, 'README.md'), 'utf8')).filter(({ words }) => words.includes('start'))
  const promised = blocks.find(({ language }) => language === 'text')?.text
  if (promised === undefined) throw new Error('it does not say what is seen in the end')
  for (const [index, block] of blocks.filter(({ language }) => language === 'sh').entries()) {
    const name = `window ${index + 1}`
    const window = openWindow(place, (line) => see(name, line))
    windows.push(window)
    for (const line of block.text
      .trim()
      .split('\n')
      .filter((each) => each !== 'npm ci')) {
      see(name, `$ ${line}`)
      window.type(line)
    }
    await ready(block, window)
  }
  const everything = () => windows.map(({ printed }) => printed()).join('\n')
  const isSeen = () => missingWords(promised, everything()).length === 0
  await until(`"${promised.trim()}"`, isSeen, { timeoutMs: secondsMax * 1000 })
}

/** Waits for the output that the block promises. A window without a promise is left alone. */
async function ready({ options, line }: Fence, { printed, isOpen }: Window): Promise<void> {
  const wanted = options.get('until')
  if (wanted === undefined) return
  const isThere = () => {
    if (!isOpen()) throw new Error(`the window of line ${line} has ended without "${wanted}"`)
    return printed().includes(wanted)
  }
  await until(`"${wanted}" of line ${line}`, isThere, { timeoutMs: secondsMax * 1000 })
}

interface Window {
  printed(): string
  isOpen(): boolean
  type(line: string): void
  close(): Promise<void>
}

/** A shell of a user with an empty home: only npm's download cache is shared. */
function openWindow(place: string, see: (line: string) => void): Window {
  const home = join(place, '..', 'home')
  mkdirSync(home, { recursive: true })
  const npm = { npm_config_cache: join(homedir(), '.npm'), npm_config_userconfig: join(homedir(), '.npmrc') }
  const env = { ...process.env, ...npm, HOME: home }
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: place, env, detached: true, stdio: 'pipe' })
  const output: string[] = []
  for (const stream of [shell.stdout, shell.stderr]) {
    let rest = ''
    stream.setEncoding('utf8').on('data', (part: string) => {
      output.push(part)
      const lines = `${rest}${part}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter((each) => each.trim() !== '')) see(line)
    })
  }
  return {
    printed: () => output.join(''),
    isOpen: () => shell.exitCode === null && shell.signalCode === null,
    type: (line) => shell.stdin.write(`${line}\n`),
    close: () => interrupt(shell),
  }
}

/** Sends Ctrl-C, and the end of the input. */
async function interrupt(shell: ChildProcess): Promise<void> {
  const { pid } = shell
  if (shell.exitCode !== null || shell.signalCode !== null || pid === undefined) return
  const ended = once(shell, 'exit')
  shell.stdin?.end()
  process.kill(-pid, 'SIGINT')
  const patience = setTimeout(() => process.kill(-pid, 'SIGKILL'), 20_000)
  await ended
  clearTimeout(patience)
}
