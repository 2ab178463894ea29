import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { testLedger } from '../packages/server/src/testing/ledger.ts'
import { writePosting } from './support/cluster/posting-lines.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { type Asked, type Customers, createCustomers, type Reported } from './support/load/customers.ts'
import { compareAnswers, readTransfers, show, wrongCounters } from './support/oracles/truth.ts'

const killsMax = proofSize('KILLS', 100)
const seed = proofSize('SEED', 1)
const inFlight = 40
const program = fileURLToPath(import.meta.resolve('./support/cluster/posting-process.ts'))

/** Where customers wait for their results. It outlives every process, and sends open requests to the next one. */
interface OperatorContext {
  readonly customers: Customers
  readonly open: Set<Asked>
  answers: number
  isClosing: boolean
  /** Output that is not a result. */
  readonly faults: string[]
}

type PostingProcess = ChildProcessByStdio<Writable, Readable, null>

/** Cache for compiled code: processes start in a third of the time. */
const cache = mkdtempSync(join(tmpdir(), 'malipo-kills-'))
const env = { ...process.env, NODE_COMPILE_CACHE: cache }
after(() => rmSync(cache, { recursive: true }))

function startProcess(t: TestContext, url: string, context: OperatorContext): PostingProcess {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], env })
  t.after(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined) // It was killed during a write.
  child.stdin.write(`${url}\n`)
  const places: Asked[] = []
  const send = (asked: Asked) => {
    context.open.add(asked)
    child.stdin.write(`${writePosting(places.push(asked) - 1, asked.posting)}\n`)
  }
  for (const asked of [...context.open]) send(Object.assign(asked, { isRepeated: true as const }))
  while (context.open.size < inFlight && !context.isClosing) send(context.customers.ask())
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, place, reported] = /^(\d+) (\w+)$/.exec(line) ?? []
    const asked = places[Number(place)]
    if (!asked || !reported) return void context.faults.push(line)
    context.customers.hear(asked, reported as Reported)
    context.open.delete(asked)
    context.answers += 1
    if (!context.isClosing) send(context.customers.ask())
  })
  return child
}

/** Lets a process post for a while and kills it at a random moment of a batch. */
async function killOne(t: TestContext, url: string, context: OperatorContext, random: Random): Promise<void> {
  const child = startProcess(t, url, context)
  const enough = context.answers + 1 + random.below(120)
  await until('answers', () => context.answers >= enough)
  await pause(random() * 15)
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** A process that is not killed completes the open requests. */
async function close(t: TestContext, url: string, context: OperatorContext): Promise<void> {
  context.isClosing = true
  const child = startProcess(t, url, context)
  await until('the last answers', () => context.open.size === 0)
  child.stdin.end()
  assert.deepEqual(await once(child, 'close'), [0, null])
}

test(`with ${killsMax} kills of posting processes, two at work at a time, every ledger result is true`, {
  timeout: 60_000 + killsMax * 3000,
}, async (t) => {
  const { loginUrl } = await testDatabase()
  const random = createRandom(seed)
  const ledger = await testLedger(t)
  const [treasury, clearing] = [await ledger.account('treasury'), await ledger.account('clearing')]
  const wallets = await ledger.wallets(40, 1_000_000n)
  const customers = createCustomers(random, { wallets, treasury, clearing })
  let kills = 0
  let checks = Promise.resolve()
  const killAgainAndAgain = async (context: OperatorContext) => {
    while (kills < killsMax) {
      kills += 1
      const isTenth = kills % 10 === 0
      await killOne(t, loginUrl, context, random)
      if (isTenth)
        checks = checks.then(async () => void (await checkLedger(ledger.db.write, { isFull: false, sealLines: [] })))
      await checks
    }
    await close(t, loginUrl, context)
  }

  const startedAt = performance.now()
  const openOperatorContext = (): OperatorContext => ({
    customers,
    open: new Set(),
    answers: 0,
    isClosing: false,
    faults: [],
  })
  const contexts = [openOperatorContext(), openOperatorContext()]
  await close(t, loginUrl, { ...openOperatorContext(), isClosing: true }) // Fills the compile cache.
  await Promise.all(contexts.map(killAgainAndAgain))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)

  const transfers = await readTransfers(ledger.db.write)
  const { lies, counts } = compareAnswers(customers.record, transfers)
  t.diagnostic(`seed ${seed}: ${kills} kills in ${seconds} s`)
  t.diagnostic(`${customers.record.length} answers: ${show(counts)}`)
  assert.deepEqual(
    contexts.flatMap(({ faults }) => faults),
    [],
  )
  assert.deepEqual(lies, [])
  assert.deepEqual(await wrongCounters(ledger.db.write, transfers), [])
  const checked = await checkLedger(ledger.db.write, { isFull: true, sealLines: [] })
  assert.equal(checked.transfers, transfers.length)
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers, ${checked.accounts} accounts`)
})
