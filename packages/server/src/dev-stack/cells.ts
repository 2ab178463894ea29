import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRouter } from './haproxy.ts'
import { freePort, guardFolder, makeFolder } from './processes.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

const second = 7

/** Two whole cells behind one HAProxy. Each has its own servers, and the first merchant of each is known. */
export async function startCells(): Promise<Stack & { readonly cells: readonly Stack[] }> {
  const folder = makeFolder(mkdtempSync(join(tmpdir(), 'malipo-cells-')))
  const guard = guardFolder(folder, { isKept: false })
  const port = await freePort()
  const router = `http://127.0.0.1:${port}`
  const running: { stop(): Promise<unknown> }[] = []
  const stop = async () => {
    for (const each of running.toReversed()) await each.stop()
    await guard.dismiss()
  }
  try {
    const start = async (cell: number, options: Partial<StackOptions> = {}) => {
      const folder = mkdtempSync(join(tmpdir(), 'malipo-cell-'))
      const stack = await startStack(folder, { ...options, isKept: false, cell, router })
      running.push(stack)
      return stack
    }
    const seven = await start(second)
    const zero = await start(0, { otherTokenKeys: await publishedKeysOf(seven.url) })
    const table = (cell: number, { url }: Stack) => `[cells.${cell}]\nservers = ["${new URL(url).host}"]\n`
    running.push(await startRouter(folder, port, table(0, zero) + table(second, seven)))
    const { MALIPO_PUBLIC_KEY = '', MALIPO_API_KEY = '' } = seven.exports
    const other = { MALIPO_PUBLIC_KEY_2: MALIPO_PUBLIC_KEY, MALIPO_API_KEY_2: MALIPO_API_KEY }
    return {
      url: router,
      cells: [zero, seven],
      exports: { ...zero.exports, MALIPO_URL: router, ...other },
      notes: zero.notes,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The keys that verify a cell's tokens, as `MALIPO_OTHER_TOKEN_KEYS` of another cell takes them. */
export async function publishedKeysOf(url: string): Promise<string> {
  const response = await fetch(`${url}/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { readonly keys: readonly { readonly kid: string; readonly x: string }[] }
  return keys.map(({ kid, x }) => `${kid}:public:${x}`).join(',')
}
