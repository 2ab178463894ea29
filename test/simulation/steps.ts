import { answerCard, cancel, decide, deliver, expire, resolveManually, retry, sendRequest, wake } from './actors.ts'
import { refunds } from './invariants.ts'
import { hasOutcome, type Life, planRefund } from './lives.ts'
import type { Watcher } from './processes.ts'
import { type Entry, isReversible } from './provider-book.ts'
import { checkTimers, crash, openPayments, runOne, type World, watchersOf } from './world.ts'

/** A possible next step, and its weight. */
interface Choice {
  readonly weight: number
  do(): void | Promise<void>
}

const stepsPerLife = 24
/** Operators check only this often. */
const checkEvery = 100
const drainRoundsMax = 60

/** Runs steps in the order of the seed, with everything that can go wrong. */
export async function runSteps(world: World): Promise<void> {
  const { schedule, lives } = world
  const enough = lives.length * stepsPerLife
  while (world.steps < enough && world.violations.length === 0) {
    world.steps += 1
    await pick(choicesOf(world), world.random()).do()
    await tick()
    if (world.steps % checkEvery === 0) await checkMeanwhile(world)
  }
  schedule.isFaulty = false
  for (const process of world.processes) process.pausedUntil = 0
}

/** What is true at every moment. */
async function checkMeanwhile(world: World): Promise<void> {
  await checkTimers(world)
  world.violations.push(...(await refunds(world)))
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

function pick(choices: readonly Choice[], chance: number): Choice {
  let left = chance * choices.reduce((sum, { weight }) => sum + weight, 0)
  for (const choice of choices) {
    left -= choice.weight
    if (left < 0) return choice
  }
  return choices.at(-1) as Choice
}

function choicesOf(world: World): Choice[] {
  const { schedule, random, processes } = world
  const ready = schedule.ready()
  const choices: Choice[] = [
    { weight: ready === 0 ? 0 : 40 + 6 * ready, do: () => runOne(world) },
    { weight: 0.5, do: () => crash(world, random.pick(processes)) },
    { weight: 0.5, do: () => sleep(world) },
    ...timeChoices(world),
    ...providerChoices(world),
    ...merchantChoices(world),
  ]
  const [woken = [], unwoken = [], sweeps = []] = pollsOf(world)
  if (woken.length > 0) choices.push({ weight: 12, do: () => wake(world, random.pick(woken)) })
  if (unwoken.length > 0) choices.push({ weight: 1.5, do: () => wake(world, random.pick(unwoken)) })
  if (sweeps.length > 0) choices.push({ weight: 0.3, do: () => wake(world, random.pick(sweeps)) })
  return choices
}

/** Watchers that may poll now: woken ones, those whose interval is over, and sweepers, which poll less often. */
function pollsOf(world: World): Watcher[][] {
  const polls = watchersOf(world).filter((watcher) => mayPoll(world, watcher))
  const sweeps = polls.filter(({ topic }) => topic === 'sweep')
  const lanes = polls.filter(({ topic }) => topic !== 'sweep')
  return [lanes.filter(({ isWoken }) => isWoken), lanes.filter(({ isWoken }) => !isWoken), sweeps]
}

function mayPoll({ schedule }: World, { isPolling, isWoken, polledAt, everyMs, process }: Watcher): boolean {
  const now = schedule.nowMs()
  return !isPolling && process.pausedUntil <= now && (isWoken || now - polledAt >= everyMs)
}

function sleep({ schedule, random, processes }: World): void {
  const process = random.pick(processes)
  const ms = random.pick([3000, 12_000, 40_000, 100_000, 400_000])
  schedule.note(`${process.name} sleeps for ${ms / 1000} s`)
  process.pausedUntil = schedule.nowMs() + ms
}

function timeChoices({ schedule, random }: World): Choice[] {
  const advance = (fromMs: number, toMs: number) => () => schedule.advance(fromMs + random.below(toMs - fromMs))
  return [
    { weight: 8, do: advance(1, 400) },
    { weight: 3, do: advance(1000, 12_000) },
    { weight: 0.8, do: advance(15_000, 90_000) },
    { weight: 0.08, do: advance(300_000, 2_000_000) },
  ]
}

const isOpen = (entry: Entry) =>
  entry.state === 'pending' ||
  (entry.state === 'waiting' && entry.receipts.length < 3) ||
  (entry.state === 'failed' && entry.fate === 'failure, then success') ||
  isReversible(entry)

function providerChoices(world: World): Choice[] {
  const { books, random } = world
  const open = [...books.entries.values()].filter(isOpen)
  const { callbacks } = books
  const choices: Choice[] = []
  if (open.length > 0) choices.push({ weight: 6, do: () => nudge(world, random.pick(open)) })
  if (callbacks.length > 0) choices.push({ weight: 3 + callbacks.length / 4, do: () => callBack(world) })
  const forgeable = open.filter(({ provider }) => provider === 'flutterwave')
  if (forgeable.length > 0) choices.push({ weight: 0.4, do: () => books.forge(random.pick(forgeable)) })
  return choices
}

/** Moves a payment at its provider: it progresses, its customer answers, or money arrives in its account. */
function nudge(world: World, entry: Entry): void {
  const { books, random, schedule } = world
  if (entry.rail === 'transfer') {
    const part = random.pick([entry.asked, entry.asked / 2n, entry.asked / 3n, entry.asked + 100n])
    books.receive(entry, part)
    schedule.note(`${part} arrives for ${entry.key}`)
  } else if (entry.question?.kind === 'pin' || entry.question?.kind === 'otp') answerCard(world, entry)
  else books.progress(entry)
}

/** In any order; some come twice, and some not at all. */
function callBack(world: World): void {
  const { books, random, schedule } = world
  const [callback] = books.callbacks.splice(random.below(books.callbacks.length), 1)
  if (!callback || schedule.hasChance(0.15)) return
  if (schedule.hasChance(0.2)) books.callbacks.push(callback)
  deliver(world, callback)
}

function merchantChoices(world: World): Choice[] {
  const { lives, random } = world
  const fresh = lives.find(({ asked }) => asked === 0)
  const choices: Choice[] = [
    { weight: 0.3, do: () => operate(world) },
    { weight: 0.4, do: () => decideOne(world) },
    { weight: 0.1, do: () => expire(world) },
  ]
  if (fresh) choices.push({ weight: 10, do: () => sendRequest(world, fresh) })
  const known = lives.filter(({ asked, key }) => asked > 0 && asked < 4 && key !== undefined)
  if (known.length > 0) choices.push({ weight: 0.7, do: () => sendRequest(world, random.pick(known)) })
  const charges = lives.filter(({ kind, acceptedIds }) => isCharge(kind) && acceptedIds.size > 0)
  if (charges.length > 0) choices.push({ weight: 2, do: () => refundOne(world, random.pick(charges)) })
  const payouts = lives.filter(({ kind, acceptedIds }) => kind === 'payout' && acceptedIds.size > 0)
  if (payouts.length > 0) choices.push({ weight: 0.7, do: () => cancel(world, random.pick(payouts)) })
  return choices
}

const isCharge = (kind: Life['kind']) => ['prompt', 'page', 'card', 'transfer'].includes(kind)
/** Refunds of one charge are few. */
const refundsMax = 4

function refundOne(world: World, charge: Life): void {
  const { lives, random } = world
  if (lives.filter((life) => life.charge === charge.reference).length >= refundsMax) return
  const life = planRefund(random, charge, lives.length)
  lives.push(life)
  sendRequest(world, life)
}

async function operate(world: World): Promise<void> {
  const doubtful = (await openPayments(world)).filter(({ state, doubt }) => state === 'unknown' || doubt !== '')
  if (doubtful.length === 0) return
  const { id } = world.random.pick(doubtful)
  if (world.random() < 0.5) resolveManually(world, id)
  else retry(world, id)
}

async function decideOne(world: World): Promise<void> {
  const waiting = (await openPayments(world)).filter(({ state }) => state === 'unapproved')
  if (waiting.length > 0) decide(world, world.random.pick(waiting))
}

/** Nothing goes wrong any more and time passes: every life must end soon. */
export async function drain(world: World): Promise<void> {
  for (let round = 0; round < drainRoundsMax && world.violations.length === 0; round += 1)
    if (await drainRound(world, round)) return
  for (const { id, state, doubt } of await openPayments(world))
    world.violations.push(`${id} is still ${state} ${doubt}`)
  for (const { place, refusals, underWay } of world.lives.filter((each) => !hasOutcome(each)))
    world.violations.push(`the request of life ${place} has no outcome: ${refusals} (${underWay})`)
}

/** True when there is nothing left to do. */
async function drainRound(world: World, round: number): Promise<boolean> {
  const { schedule, lives } = world
  await settleDown(world, round)
  for (const life of lives.filter((each) => each.underWay === 0 && !hasOutcome(each))) sendRequest(world, life)
  const open = await checkTimers(world)
  const isQuiet = schedule.nextAt() === undefined && world.books.callbacks.length === 0
  if (round > 0 && open.length === 0 && isQuiet && lives.every(hasOutcome)) return true
  for (const { id, doubt } of open) if (doubt === 'amount_mismatch') resolveManually(world, id)
  for (const payment of open) if (payment.state === 'unapproved' && world.random() < 0.3) decide(world, payment)
  expire(world)
  const wakes = open.filter(({ state }) => state !== 'unapproved').map(({ wake_at }) => wake_at?.getTime() ?? 0)
  skipTo(world, wakes, round)
  return false
}

/** Jumps to the next timer, and further each round, so that waits of hours end soon. */
function skipTo({ schedule }: World, wakes: readonly number[], round: number): void {
  const now = schedule.nowMs()
  const next = Math.min(schedule.nextAt() ?? Number.POSITIVE_INFINITY, ...wakes)
  const leastMs = round < 8 ? 1000 : round < 12 ? 1_200_000 : 27 * 3_600_000
  schedule.advance(Math.max(leastMs, Number.isFinite(next) ? next - now + 1 : 0))
}

/** Runs everything that needs no wait. */
export async function settleDown(world: World, round: number): Promise<void> {
  const { schedule, books, random, processes } = world
  if (round > 0) finishProviders(world)
  const polling = processes[round % processes.length]
  for (const watcher of watchersOf(world))
    if (mayPoll(world, watcher) && (watcher.isWoken || watcher.process === polling)) wake(world, watcher)
  await tick()
  for (const callback of books.callbacks.splice(0)) deliver(world, callback)
  await tick()
  while (schedule.ready() > 0) {
    world.steps += 1
    await runOne(world)
    const woken = watchersOf(world).filter((watcher) => watcher.isWoken && mayPoll(world, watcher))
    if (woken.length > 0 && random() < 0.3) wake(world, random.pick(woken))
  }
}

/** Every provider ends its open entries, and repeats reports that were not acknowledged. */
function finishProviders({ books }: World): void {
  for (const entry of books.entries.values())
    for (let steps = 0; steps < 4 && isOpen(entry) && entry.state !== 'waiting'; steps += 1) books.progress(entry)
  for (const entry of books.entries.values()) if (entry.heard < entry.observation) books.repeat(entry)
}
