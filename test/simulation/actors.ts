import { authorise } from '../../packages/server/src/charges/authorise.ts'
import { AppError } from '../../packages/server/src/errors.ts'
import { resolvePayment, retryPayment } from '../../packages/server/src/operate/manual-resolution.ts'
import { OperatorError } from '../../packages/server/src/operate/operator-context.ts'
import { approvePayout, expireApprovals, rejectPayout } from '../../packages/server/src/payouts/approve.ts'
import { cancelPayout } from '../../packages/server/src/payouts/cancel.ts'
import { sql } from '../../packages/server/src/platform/db.ts'
import { attemptOfKey, providerKeyOf, showId } from '../../packages/server/src/platform/ids.ts'
import { ask, type Life } from './lives.ts'
import type { SimulatedProcess, Watcher } from './processes.ts'
import { type Callback, type Entry, isOut, netOf } from './provider-book.ts'
import type { OpenPayment, World } from './world.ts'

/** A merchant sends its request, identical every time, to some process. */
export function sendRequest(world: World, life: Life): void {
  const process = world.random.pick(world.processes)
  const asking = world.asking.get(process) ?? []
  world.asking.set(process, asking)
  asking.push(life)
  life.underWay += 1
  life.asked += 1
  run(world, process, `${process.name} receives ${life.kind} ${life.place}`, async () => {
    await ask(process.ctx, life)
    asking.splice(asking.indexOf(life), 1)
    const fault = life.refusals.find((word) => word.startsWith('fault'))
    if (fault !== undefined) world.violations.push(`life ${life.place}: ${fault}`)
  })
}

/** Runs work as a process. An unexpected error is a violation. */
function run(world: World, process: SimulatedProcess, task: string, work: () => Promise<unknown>): void {
  const { schedule } = world
  schedule.note(task)
  schedule.as(process, task, () => {
    void work().catch((error: Error & { code?: string }) => {
      const isExpected = error instanceof AppError || error instanceof OperatorError || error.code === '08006'
      if (!isExpected) world.violations.push(`${task}: ${error.stack}`)
    })
  })
}

export function wake({ schedule }: World, watcher: Watcher): void {
  if (watcher.isWoken) schedule.note(`${watcher.process.name} is woken for ${watcher.topic}`)
  watcher.poll()
}

/** The customer of a card charge answers, rightly or not. */
export function answerCard(world: World, entry: Entry): void {
  const found = attemptOfKey(entry.key)
  const owner = found && ownerOf(world, found.transactionId)
  const { question } = entry
  if (!owner || (question?.kind !== 'pin' && question?.kind !== 'otp')) return
  const process = world.random.pick(world.processes)
  const value = world.random() < 0.7 ? '1234' : '9999'
  const body = { type: question.kind, value } as const
  run(world, process, `${process.name} is given ${question.kind} ${value} for ${entry.key}`, () =>
    authorise(process.ctx, owner, showId('transaction', found.transactionId), body, undefined),
  )
}

function ownerOf({ lives }: World, id: string) {
  return lives.find(({ acceptedIds }) => acceptedIds.has(id))?.owner
}

export function cancel(world: World, life: Life): void {
  const [id] = life.acceptedIds
  const process = world.random.pick(world.processes)
  if (id === undefined) return
  run(world, process, `${process.name} receives a cancel of ${life.place}`, async () => {
    await cancelPayout(process.ctx, life.owner, showId('transaction', id), undefined)
    life.isCancelled = true
  })
}

/** People of the merchant decide about a payout, sometimes two at once. */
export function decide(world: World, { id, merchant_id }: Pick<OpenPayment, 'id' | 'merchant_id'>): void {
  const { random, decisions } = world
  const owner = world.owners.find((each) => each.merchant_id === merchant_id)
  if (!owner) return
  for (const approver of world.approvers.slice(0, random() < 0.3 ? 2 : 1)) {
    const { name } = approver
    const process = random.pick(world.processes)
    const decision = random() < 0.7 ? 'approved' : 'rejected'
    const order = {
      transactionId: showId('transaction', id),
      approver,
      reason: 'asked',
    }
    run(world, process, `${process.name} receives that ${name} has ${decision} ${id}`, async () => {
      await (decision === 'approved' ? approvePayout : rejectPayout)(process.ctx, owner, order)
      if (decisions.has(id)) world.violations.push(`${id} was decided twice`)
      decisions.set(id, decision)
    })
  }
}

/** A worker ends payouts that waited for approval too long. */
export function expire(world: World): void {
  const process = world.random.pick(world.processes)
  run(world, process, `${process.name} ends approvals that are overdue`, () => expireApprovals(process.ctx))
}

/** A provider sends a callback, which is acknowledged or sent again. */
export function deliver(world: World, callback: Callback): void {
  const { books, random, schedule } = world
  const process = random.pick(world.processes)
  run(
    world,
    process,
    `${process.name} receives a callback for ${callback.key}: ${callback.providerStatus.state}`,
    async () => {
      try {
        await process.receive(callback)
        const entry = books.entries.get(callback.key)
        if (entry) entry.heard = Math.max(entry.heard, callback.observation)
      } catch (error) {
        if (!schedule.isFaulty) books.callbacks.push(callback)
        throw error
      }
    },
  )
}

/** An operator reads the statement of the payment's current provider, and decides by it. */
export function resolveManually(world: World, id: string): void {
  const process = world.random.pick(world.processes)
  const isOpen = entriesOf(world, id).some(({ state, rail }) => state === 'pending' || rail === 'transfer')
  if (isOpen) return
  run(world, process, `an operator resolves ${id}`, async () => {
    const [row] = await process.context.db.write.query<{ attempt: number; doubt: string }>(
      sql`select attempt, doubt from transactions where id = ${id}`,
    )
    const key = providerKeyOf(id, row?.attempt ?? 1)
    const entry = world.books.entries.get(key)
    // A manual resolution books the requested amount: another amount on the statement is queried first.
    if (entry?.fate === 'another amount' && row?.doubt !== 'amount_mismatch') return
    // The other amount that a charge collected is in suspense: its case decides about it, not this resolution.
    const isSuspended = entry?.fate === 'another amount' && !isOut(entry.rail)
    const outcome = entry && netOf(entry) !== 0n && !isSuspended ? 'successful' : 'failed'
    await resolvePayment(process.context, key, { outcome, reason: 'asked', evidence: 'statement' })
  })
}

export function entriesOf({ books }: World, id: string): Entry[] {
  return [...books.entries.values()].filter(({ key }) => key.slice(0, -2) === providerKeyOf(id, 0).slice(0, -2))
}

export function retry(world: World, id: string): void {
  const process = world.random.pick(world.processes)
  run(world, process, `an operator resends ${id}`, () =>
    retryPayment(process.context, showId('transaction', id), 'asked'),
  )
}
