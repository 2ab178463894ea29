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
import { type Asked, type Customers, createCustomers, type Told } from './support/load/customers.ts'
import { compareAnswers, readTransfers, show, wrongCounters } from './support/oracles/truth.ts'

const killsMax = proofSize('KILLS', 100)
const seed = proofSize('SEED', 1)
const inFlight = 40
const program = fileURLToPath(import.meta.resolve('./support/cluster/posting-process.ts'))

/** Where customers wait for their answers. It outlives every process, and asks the next one what the last left open. */
interface Desk {
  readonly customers: Customers
  readonly open: Set<Asked>
  answers: number
  isClosing: boolean
  /** Whatever was said that is no answer. */
  readonly faults: string[]
}

type PostingProcess = ChildProcessByStdio<Writable, Readable, null>

/** Processes keep their compiled code here: starting from it takes a third of the time. */
const cache = mkdtempSync(join(tmpdir(), 'malipo-kills-'))
const env = { ...process.env, NODE_COMPILE_CACHE: cache }
after(() => rmSync(cache, { recursive: true }))

function startProcess(t: TestContext, url: string, desk: Desk): PostingProcess {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], env })
  t.after(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined) // It was killed while we wrote.
  child.stdin.write(`${url}\n`)
  const places: Asked[] = []
  const send = (asked: Asked) => {
    desk.open.add(asked)
    child.stdin.write(`${writePosting(places.push(asked) - 1, asked.posting)}\n`)
  }
  for (const asked of [...desk.open]) send(Object.assign(asked, { isRepeated: true as const }))
  while (desk.open.size < inFlight && !desk.isClosing) send(desk.customers.ask())
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, place, told] = /^(\d+) (\w+)$/.exec(line) ?? []
    const asked = places[Number(place)]
    if (!asked || !told) return void desk.faults.push(line)
    desk.customers.hear(asked, told as Told)
    desk.open.delete(asked)
    desk.answers += 1
    if (!desk.isClosing) send(desk.customers.ask())
  })
  return child
}

/** Lets a process answer for a while and kills it at any instant of a batch: the pause is what makes it any. */
async function killOne(t: TestContext, url: string, desk: Desk, random: Random): Promise<void> {
  const child = startProcess(t, url, desk)
  const enough = desk.answers + 1 + random.below(120)
  await until('answers', () => desk.answers >= enough)
  await pause(random() * 15)
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Has what is still open answered by a process that is not killed. */
async function close(t: TestContext, url: string, desk: Desk): Promise<void> {
  desk.isClosing = true
  const child = startProcess(t, url, desk)
  await until('the last answers', () => desk.open.size === 0)
  child.stdin.end()
  assert.deepEqual(await once(child, 'close'), [0, null])
}

test(`with posting processes killed ${killsMax} times, two at work at a time, the ledger lies to nobody`, {
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
  const killAgainAndAgain = async (desk: Desk) => {
    while (kills < killsMax) {
      kills += 1
      const isTenth = kills % 10 === 0
      await killOne(t, loginUrl, desk, random)
      if (isTenth)
        checks = checks.then(async () => void (await checkLedger(ledger.db.write, { isFull: false, sealLines: [] })))
      await checks
    }
    await close(t, loginUrl, desk)
  }

  const startedAt = performance.now()
  const openDesk = (): Desk => ({ customers, open: new Set(), answers: 0, isClosing: false, faults: [] })
  const desks = [openDesk(), openDesk()]
  await close(t, loginUrl, { ...openDesk(), isClosing: true }) // Leaves its compiled code behind.
  await Promise.all(desks.map(killAgainAndAgain))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)

  const transfers = await readTransfers(ledger.db.write)
  const { lies, counts } = compareAnswers(customers.record, transfers)
  t.diagnostic(`seed ${seed}: ${kills} kills in ${seconds} s`)
  t.diagnostic(`${customers.record.length} answers: ${show(counts)}`)
  assert.deepEqual(
    desks.flatMap(({ faults }) => faults),
    [],
  )
  assert.deepEqual(lies, [])
  assert.deepEqual(await wrongCounters(ledger.db.write, transfers), [])
  const checked = await checkLedger(ledger.db.write, { isFull: true, sealLines: [] })
  assert.equal(checked.transfers, transfers.length)
  t.diagnostic(`check clean: ${checked.batches} batches, ${checked.transfers} transfers, ${checked.accounts} accounts`)
})
