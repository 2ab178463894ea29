import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cell, Ground, Role } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'
import { type Passage, startProviderGate } from './provider-gate.ts'
import { type Request, startTcpProxy } from './tcp-proxy.ts'

/** When an api process dies, relative to its request. */
export const moments = [
  /** The charge, or the claim for a customer's answer, is being committed; nothing has left for the provider. */
  'journalled',
  /** The first bytes have left, and the provider never gets them. */
  'request sent',
  /** The provider has it and works on it. */
  'provider working',
  /** The provider has responded, and no process receives it. */
  'provider responded',
  /** The response was received, and the outcome is lost on the way to the database. */
  'outcome lost',
  /** The outcome is being committed; the caller gets no response. */
  'outcome committing',
  'any time',
] as const
type Moment = (typeof moments)[number]

export interface Victims {
  /** Sends requests to a new api process and kills it at the moment. The sender handles the results of the requests. */
  kill(moment: Moment, send: (url: string) => Promise<unknown>): Promise<void>
  /** How often a process died at each moment; `too late` when every response had been sent. */
  readonly deaths: ReadonlyMap<string, number>
}

interface Aim {
  readonly moment: Moment
  readonly strike: () => void
}

/** Processes started ahead: a start takes longer than a life. */
const readyMax = 2
const anyTimeMs = 120
/** How long the provider works on a request, so that there is time to die meanwhile. */
export const workMs = 60

/** Api processes that reach their database and provider through proxies that kill them. */
export async function startVictims(
  t: TestContext,
  { cell, ground, providerUrl, random }: { cell: Cell; ground: Ground; providerUrl: string; random: Random },
): Promise<Victims> {
  let aim: Aim | undefined
  const strikeAt = (moment: Moment) => {
    if (aim?.moment !== moment) return false
    aim.strike()
    return true
  }
  const proxy = await startTcpProxy({
    url: ground.loginUrl,
    random,
    faultOf: (request) => {
      if (isJournal(request)) strikeAt('journalled')
      if (isResolution(request) && strikeAt('outcome lost')) return 'request lost'
      if (isResolution(request)) strikeAt('outcome committing')
      return undefined
    },
  })
  t.after(() => proxy.close())
  const going = () => {
    const { moment, strike } = aim ?? {}
    if (moment === 'provider working') void pause(random.below(workMs)).then(strike)
  }
  const hooks: Passage = { going, responded: () => void strikeAt('provider responded') }
  const gate = await startProviderGate(t, providerUrl, ({ method }) => {
    if (method !== 'POST') return 'pass'
    return strikeAt('request sent') ? 'lose' : hooks
  })
  const next = keepReady(t, cell, { DATABASE_URL: proxy.url, MALIPO_SIMULATOR_URL: gate.url })
  const deaths = new Map<string, number>()
  return {
    deaths,
    kill: async (moment, send) => {
      const victim = await next()
      let isStruck = false
      const strike = () => {
        if (!isStruck) process.kill(victim.pid, 'SIGKILL')
        isStruck = true
      }
      aim = { moment, strike }
      const sent = send(victim.url)
      if (moment === 'any time') await pause(random.below(anyTimeMs)).then(strike)
      await sent
      aim = undefined
      const heading = isStruck ? moment : 'too late'
      deaths.set(heading, (deaths.get(heading) ?? 0) + 1)
      await victim.stop('SIGKILL')
    },
  }
}

/** Returns the next process, and starts its successors meanwhile. */
function keepReady(t: TestContext, cell: Cell, over: Readonly<Record<string, string>>): () => Promise<Role> {
  let starts = 0
  const ready: Promise<Role>[] = []
  // Unused processes may still be starting when the others are stopped.
  t.after(async () => {
    for (const spare of await Promise.allSettled(ready))
      if (spare.status === 'fulfilled') await spare.value.stop('SIGKILL')
  })
  return () => {
    while (ready.length < readyMax) {
      starts += 1
      const starting = cell.start('api', `victim-${starts}`, over)
      starting.catch(() => undefined) // The caller that takes it gets the error.
      ready.push(starting)
    }
    return ready.shift() as Promise<Role>
  }
}

const isCommit = ({ text }: Request) => /\bcommit$/.test(text)
const isBatch = ({ within }: Request) => within.includes('insert into batch_commits')

/** The commit of a charge, or of a claim for a customer's answer. */
function isJournal(request: Request): boolean {
  const { within } = request
  const isClaim = !isBatch(request) && within.includes('update transactions') && !within.includes('update lanes')
  return isCommit(request) && (within.includes('insert into transactions') || isClaim)
}

function isResolution(request: Request): boolean {
  const { within } = request
  const isMoved = within.includes('update transactions') && !within.includes('insert into transactions')
  return isCommit(request) && isBatch(request) && isMoved
}
