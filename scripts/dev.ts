/** npm run dev: a Malipo that stays, with its data in .malipo/, until Ctrl-C. --fresh begins anew. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { isListening } from '../packages/server/src/testing/processes.ts'
import { startStack } from '../packages/server/src/testing/stack.ts'

const folder = join(import.meta.dirname, '../.malipo')
const port = 8080

if (isRunning(join(folder, 'api.pid'))) {
  console.error('It is running already. Stop it first, with Ctrl-C in its window.')
  process.exit(1)
}
const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } })
if (values.fresh) rmSync(folder, { recursive: true, force: true })

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
})
const isTaken = await isListening(port)
if (isTaken) console.log(`Port ${port} is taken; using another.`)
const stack = await startStack(folder, { isKept: true, ...(!isTaken && { port }) })
// `npm run malipo` reads this, so that commands work on this stack without further ado.
const lines = Object.entries(stack.exports).map(([name, value]) => `${name}=${value}`)
writeFileSync(join(folder, 'env'), `${lines.join('\n')}\n`, { mode: 0o600 })
console.log(greeting(stack.exports))
await stopped
console.log('\nStopping. The data stays in .malipo/.')
await stack.stop()

function isRunning(pidPath: string): boolean {
  if (!existsSync(pidPath)) return false
  try {
    return process.kill(Number(readFileSync(pidPath, 'utf8')), 0)
  } catch {
    return false
  }
}

function greeting(exports: Readonly<Record<string, string>>): string {
  const bold = (text: string) => styleText('bold', text)
  const { MALIPO_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY } = exports
  return `
${bold('Malipo is running')} at ${MALIPO_URL}
  API reference   ${MALIPO_URL}/docs
  logs            .malipo/*.log
  all variables   .malipo/env

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

Ctrl-C stops it; npm run dev -- --fresh begins anew.
`
}
