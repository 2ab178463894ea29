import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../../packages/server/src/dev-stack/stack.ts'
import { openOperator } from '../../packages/server/src/operate/operator.ts'
import { createRandom } from '../support/cluster/random.ts'
import { checkRaw, checkResponse, isOverload, type Problem } from './check-response.ts'
import { asSent, drawRequest, type SentRequest } from './draft.ts'
import { drawFraming, type RawRequest } from './framing.ts'
import { mutate } from './mutations.ts'
import { type Client, openClient } from './send.ts'
import { openWorld, renewTokens, type World } from './world.ts'

export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  readonly concurrency: number
  /** Only the request with this number. */
  readonly only?: number | undefined
  readonly say: (line: string) => void
}

/** Problems of one cause. */
interface Finding extends Problem {
  count: number
  /** The first request that showed it. */
  readonly number: number
  readonly request: string
}

export interface FuzzReport {
  readonly seed: number
  readonly requests: number
  readonly seconds: number
  readonly byStatus: Readonly<Record<string, number>>
  readonly overloaded: number
  readonly slowestMs: number
  /** Operations that never succeeded. */
  readonly unreached: readonly string[]
  readonly findings: readonly Finding[]
  /** Problems that `ledger check` found afterwards. */
  readonly ledgerProblems: readonly string[]
}

/** Sends mutated requests to a separate stack and compares every response with the document that the stack serves. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const stack = await startStack(mkdtempSync(join(tmpdir(), 'malipo-fuzz-')), { isKept: false })
  const client = openClient(String(stack.exports['MALIPO_URL']), options.concurrency)
  try {
    const world = await openWorld(client, stack.exports, options.seed)
    const tally = createTally(world)
    const startedAt = performance.now()
    await sendAll(client, world, tally, options)
    const seconds = (performance.now() - startedAt) / 1000
    return { seed: options.seed, ...tally.report(), seconds, ledgerProblems: await checkLedger(stack.exports) }
  } finally {
    client.close()
    await stack.stop()
  }
}

async function sendAll(client: Client, world: World, tally: Tally, options: FuzzOptions): Promise<void> {
  const { requests, concurrency, only, say } = options
  if (only !== undefined) return sendOne(client, world, tally, only)
  let next = 0
  const worker = async () => {
    while (next < requests) {
      const number = next
      next += 1
      await sendOne(client, world, tally, number)
      if (number % renewEvery === renewEvery - 1) {
        say(`${number + 1} sent`)
        await renewTokens(client, world)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

const rawShare = 0.04
const renewEvery = 10_000

/** Request n is drawn from the seed and n alone: earlier requests do not change it. */
async function sendOne(client: Client, world: World, tally: Tally, number: number): Promise<void> {
  const random = createRandom(world.seed * 1_000_003 + number)
  if (random() < rawShare) {
    const raw = drawFraming(random, world)
    const received = await client.sendRaw(raw)
    for (const each of received) tally.count(each)
    return tally.note(number, checkRaw(world, raw, received), raw)
  }
  const draft = drawRequest(world.document, world, random)
  mutate(draft, random, world)
  const sent = asSent(draft)
  try {
    const received = await client.send(sent)
    tally.count(received)
    if (received.status === 200) tally.reach(world.document.operationFor(sent.method, sent.target)?.id)
    tally.note(number, checkResponse(world, sent, received), sent)
  } catch (error) {
    const what = `${draft.operation.id}: ${(error as Error).message}`
    tally.note(number, [{ kind: 'no response', what }], sent)
  }
}

interface Tally {
  count(received: Parameters<typeof isOverload>[0]): void
  reach(operation: string | undefined): void
  note(number: number, problems: readonly Problem[], sent: SentRequest | RawRequest): void
  report(): Pick<FuzzReport, 'requests' | 'byStatus' | 'overloaded' | 'slowestMs' | 'unreached' | 'findings'>
}

function createTally(world: World): Tally {
  const byStatus: Record<string, number> = {}
  const findings = new Map<string, Finding>()
  const reached = new Set<string | undefined>()
  const operations = world.document.operations.map(({ id }) => id)
  let [requests, overloaded, slowestMs] = [0, 0, 0]
  return {
    count: (received) => {
      byStatus[received.status] = (byStatus[received.status] ?? 0) + 1
      slowestMs = Math.max(slowestMs, Math.round(received.tookMs))
      if (isOverload(received)) overloaded += 1
    },
    reach: (operation) => void reached.add(operation),
    note: (number, problems, sent) => {
      requests += 1
      for (const { kind, what } of problems) {
        const key = `${kind} ${what}`
        const finding = findings.get(key) ?? { kind, what, count: 0, number, request: shown(sent, world) }
        finding.count += 1
        findings.set(key, finding)
      }
    },
    report: () => ({
      ...{ requests, byStatus, overloaded, slowestMs, findings: [...findings.values()] },
      unreached: operations.filter((id) => !reached.has(id)),
    }),
  }
}

/** A request in readable form, without the secrets of the stack's callers. */
function shown(sent: SentRequest | RawRequest, { callers }: World): string {
  const text =
    'bytes' in sent
      ? sent.bytes.toString('latin1')
      : [
          `${sent.method} ${sent.target}`,
          ...Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`),
          '',
          `${sent.body ?? ''}`,
        ].join('\n')
  const hidden = callers.reduce(
    (all, { token, apiKey }) => all.replaceAll(token, '<token>').replaceAll(apiKey, '<key>'),
    text,
  )
  return hidden.length > 1200 ? `${hidden.slice(0, 1200)}… (${hidden.length} characters)` : hidden
}

async function checkLedger(variables: Readonly<Record<string, string>>): Promise<string[]> {
  const operator = openOperator(variables, 'fuzz')
  try {
    await operator.ledger.check({ isFull: true })
    return []
  } catch (error) {
    return [(error as Error).message]
  } finally {
    await operator.close()
  }
}
