/**
 * Runs worlds: `node test/simulation/main.ts FIRST_SEED WORLDS LIVES_PER_WORLD`, beside the servers of `npm test` or `npm run
 * simulate`. Prints a line of JSON for each world with a violation, and one at the end.
 */
import { registerHooks } from 'node:module'
import { realMs } from './chance.ts'

const chance = new URL('./chance.ts', import.meta.url).href
const inServer = '/packages/server/src/'
/** Code that waits for the machine itself. */
const outside = /testing\/|dev-stack\/|ledger\/check\/|platform\/wakeups\.ts$/

/** The server's files get the world's time and chance; everything else, above all the database driver, keeps node's own. */
registerHooks({
  resolve: (specifier, context, next) => {
    const from = context.parentURL ?? ''
    const isTimer = specifier === 'node:timers/promises' && from.includes(inServer) && !outside.test(from)
    const isIds = specifier === './random.ts' && from.endsWith(`${inServer}platform/ids.ts`)
    return isTimer || isIds ? { url: chance, shortCircuit: true } : next(specifier, context)
  },
})

const { simulate } = await import('./simulate.ts')
const [first = 1, worlds = 1, size = 40] = process.argv.slice(2).map(Number)
const print = (line: object) =>
  new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve()))
const startedAt = realMs()
const summary = await simulate({ first, worlds, size, onFailure: (failure) => void print(failure) })
await print({ ...summary, seconds: (realMs() - startedAt) / 1000 })
process.exit(summary.failures === 0 ? 0 : 1)
