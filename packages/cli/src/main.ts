#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fstatSync } from 'node:fs'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { exitCodes } from './exit-codes.ts'
import { createProgram } from './program.ts'

const { stdin, stdout, stderr, platform, env: variables } = process

/** The first Ctrl-C asks the running command to end, the second ends the process at once. */
const interrupt = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted)
    interrupt.abort()
  })
/** The reader of the output may close it early, as head does. */
stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.refused),
)

const run = createProgram({
  variables,
  actor: accountName(),
  commandName: /[\\/]scripts[\\/]malipo\.ts$/.test(process.argv[1] ?? '') ? 'npm run malipo --' : 'malipo',
  folder: process.cwd(),
  write: (text) => void stdout.write(text),
  writeError: (text) => void stderr.write(text),
  writeBytes: (bytes) =>
    new Promise((resolve, reject) => stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
  signal: interrupt.signal,
  hasErrorTerminal: stderr.isTTY === true,
  run: runProgram,
  ...(stdout.isTTY && { terminal: { columns: stdout.columns } }),
  ...(stdin.isTTY && stderr.isTTY && { ask }),
  ...(isPiped() && { input: stdin }),
  ...(stdout.isTTY && hasDesktop() && { browse }),
})
process.exit(await run(process.argv.slice(2)))

/** The account of this process, for the audit trail. Accounts of services and containers may have no name. */
function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

function isPiped(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    return false
  }
}

/** Secret input is not echoed. */
async function ask(question: string, { isSecret }: { readonly isSecret: boolean }): Promise<string> {
  stderr.write(question)
  const silent = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true })
  try {
    return await lines.question('', { signal: interrupt.signal })
  } finally {
    lines.close()
    if (isSecret) stderr.write('\n')
  }
}

/** Ctrl-C reaches the other program directly; this process waits for it to end. */
async function runProgram(program: string, args: readonly string[]): Promise<number> {
  const [code] = (await once(spawn(program, args, { stdio: 'inherit' }), 'exit')) as [number | null]
  return code ?? exitCodes.interrupted
}

function hasDesktop(): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(variables['DISPLAY'] || variables['WAYLAND_DISPLAY'])
}

function browse(address: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[platform as string] ?? 'xdg-open'
  spawn(opener, [address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined) // The address is already printed.
    .unref()
}
