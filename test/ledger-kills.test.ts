import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { checkLedger } from '../packages/server/src/ledger/check/check.ts'
import { testLedger } from '../packages/server/src/testing/ledger.ts'
import { writePosting } from './support/cluster/posting-lines.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom, type Random } from './support/cluster/random.ts'
import { type Customers, createCustomers, type PostingRequest, type PostingResult } from './support/load/customers.ts'
import { compareResults, readTransfers, show, wrongCounters } from './support/oracles/ledger-results.ts'

const killsMax = proofSize('KILLS', 100)
const seed = proofSize('SEED', 1)
const inFlight = 40
const program = fileURLToPath(import.meta.resolve('./support/cluster/posting-process.ts'))

/** Where customers wait for their results. It outlives every process, and sends open requests to the next one. */
interface RequestQueue {
  readonly customers: Customers
  readonly open: Set<PostingRequest>
  results: number
  isClosing: boolean
  /** Output that is not a result. */
  readonly faults: string[]
}

type PostingProcess = ChildProcessByStdio<Writable, Readable, null>

function startProcess(t: TestContext, url: string, queue: RequestQueue): PostingProcess {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined) // It was killed during a write.
  child.stdin.write(`${url}\n`)
  const places: PostingRequest[] = []
  const send = (asked: PostingRequest) => {
    queue.open.add(asked)
    child.stdin.write(`${writePosting(places.push(asked) - 1, asked.posting)}\n`)
  }
  for (const asked of [...queue.open]) send(Object.assign(asked, { isRepeated: true as const }))
  while (queue.open.size < inFlight && !queue.isClosing) send(queue.customers.ask())
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, place, result] = /^(\d+) (\w+)$/.exec(line) ?? []
    const asked = places[Number(place)]
    if (!asked || !result) return void queue.faults.push(line)
    queue.customers.noteResult(asked, result as PostingResult)
    queue.open.delete(asked)
    queue.results += 1
    if (!queue.isClosing) send(queue.customers.ask())
  })
  return child
}

/** Lets a process post for a while and kills it at a random moment of a batch. */
async function killOne(t: TestContext, url: string, queue: RequestQueue, random: Random): Promise<void> {
  const child = startProcess(t, url, queue)
  const enough = queue.results + 1 + random.below(120)
  await until('results', () => queue.results >= enough)
  await pause(random() * 15)
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** A process that is not killed completes the open requests. */
async function close(t: TestContext, url: string, queue: RequestQueue): Promise<void> {
  queue.isClosing = true
  const child = startProcess(t, url, queue)
  await until('the last results', () => queue.open.size === 0)
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
  const killAgainAndAgain = async (queue: RequestQueue) => {
    while (kills < killsMax) {
      kills += 1
      const isTenth = kills % 10 === 0
      await killOne(t, loginUrl, queue, random)
      if (isTenth)
        checks = checks.then(async () => void (await checkLedger(ledger.db.write, { isFull: false, sealLines: [] })))
      await checks
    }
    await close(t, loginUrl, queue)
  }

  const startedAt = performance.now()
  const openQueue = (): RequestQueue => ({
    customers,
    open: new Set(),
    results: 0,
    isClosing: false,
    faults: [],
  })
  const queues = [openQueue(), openQueue()]
  await close(t, loginUrl, { ...openQueue(), isClosing: true }) // Fills the compile cache.
  await Promise.all(queues.map(killAgainAndAgain))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)

  const transfers = await readTransfers(ledger.db.write)
  const { mismatches, counts } = compareResults(customers.record, transfers)
  t.diagnostic(`seed ${seed}: ${kills} kills in ${seconds} s`)
  t.diagnostic(`${customers.record.length} results: ${show(counts)}`)
  assert.deepEqual(
    queues.flatMap(({ faults }) => faults),
    [],
  )
  assert.deepEqual(mismatches, [])
  assert.deepEqual(await wrongCounters(ledger.db.write, transfers), [])
  const checked = await checkLedger(ledger.db.write, { isFull: true, sealLines: [] })
  assert.equal(checked.transfers, transfers.length)
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers, ${checked.accounts} accounts`)
})
