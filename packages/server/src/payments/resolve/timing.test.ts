import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../config.ts'
import { makeSecrets } from '../../operate/operator.ts'
import type { Connector } from '../../providers/contract.ts'
import { openConnectors } from '../../providers/registry.ts'
import { simulatorTimeoutMs } from '../../providers/sandbox/simulator.ts'
import { loadReferenceData } from '../../reference/data.ts'
import { dayMs, hourMs, minuteMs, spread, timing, windowProblems } from './timing.ts'

type Timing = {
  readonly [Name in keyof typeof timing]: (typeof timing)[Name] extends number ? number : readonly number[]
}

interface Guarantee {
  readonly name: string
  readonly holds: (times: Timing) => boolean
  /** A table that breaks the guarantee. */
  readonly broken: Partial<Timing>
}

/** The latest end of a provider call, counted from the claim to send. */
const sendEndsMs = (times: Timing) => times.sendDeadlineMs + times.submitTimeoutMs

/** docs/operating/slo.md */
const objectiveOfTimeToFinalMs = 5 * minuteMs

const isRising = (...waits: readonly number[]) => waits.every((wait, index) => wait >= (waits[index - 1] ?? 0))
const longestWaitMs = (times: Timing) =>
  Math.max(spread(times.lastPollMs, 1), spread(times.lastRefusalMs, 1), spread(times.lastShortfallMs, 1))

const guarantees: readonly Guarantee[] = [
  {
    name: 'a payout that is tried gets its response before a caller of the real one',
    holds: ({ nameWaitMs, callerWaitMs }) => nameWaitMs < callerWaitMs,
    broken: { nameWaitMs: 8000 },
  },
  {
    name: 'a caller gets its response before another process may query the provider about the same send',
    holds: ({ callerWaitMs, sendDeadlineMs }) => callerWaitMs < sendDeadlineMs,
    broken: { callerWaitMs: 10_000 },
  },
  {
    name: 'a provider call may take longer than its caller waits',
    holds: ({ callerWaitMs, submitTimeoutMs }) => callerWaitMs < submitTimeoutMs,
    broken: { submitTimeoutMs: 8000 },
  },
  {
    name: 'a caller that waits for a page or for another request polls several times',
    holds: (times) => 10 * Math.max(times.pageQueryEveryMs, times.sendingPollEveryMs) < times.callerWaitMs,
    broken: { pageQueryEveryMs: 1000 },
  },
  {
    name: 'a query ends before another process claims its payment',
    holds: ({ queryTimeoutMs, queryClaimMs }) => queryTimeoutMs < queryClaimMs,
    broken: { queryClaimMs: 15_000 },
  },
  {
    name: 'a query response that was not measured is assumed to be at least as old as the longest query',
    holds: ({ queryTimeoutMs, queryAgeMinMs }) => queryTimeoutMs <= queryAgeMinMs,
    broken: { queryAgeMinMs: 14_999 },
  },
  {
    name: 'a paid account is queried before another process claims it',
    holds: ({ queryTimeoutMs, paidAccountClaimMs }) => queryTimeoutMs < paidAccountClaimMs,
    broken: { paidAccountClaimMs: 15_000 },
  },
  {
    name: "a customer's answer has ended before a query may return its question again",
    holds: ({ submitTimeoutMs, answerUnderWayMs }) => submitTimeoutMs < answerUnderWayMs,
    broken: { answerUnderWayMs: 35_000 },
  },
  {
    name: "a customer's answer has ended before another process claims its charge",
    holds: (times) => sendEndsMs(times) < times.answerClaimMs,
    broken: { answerClaimMs: 45_000 },
  },
  {
    name: "the first query after a customer's answer counts",
    holds: (times) => times.sendDeadlineMs + times.answerUnderWayMs <= times.answerClaimMs,
    broken: { answerUnderWayMs: 40_001 },
  },
  {
    name: 'a prompt that is sent reaches its customer before it expires',
    holds: (times) => sendEndsMs(times) < times.promptLeftMinMs,
    broken: { promptLeftMinMs: 45_000 },
  },
  {
    name: 'a new prompt has time to be sent',
    holds: ({ promptLeftMinMs, promptExpiryMs }) => promptLeftMinMs < promptExpiryMs,
    broken: { promptExpiryMs: minuteMs },
  },
  {
    name: 'an account that is opened as late as possible is open before it ends',
    holds: (times) => sendEndsMs(times) < times.accountOpenMinMs && times.accountOpenMinMs < times.accountOpenMs,
    broken: { accountOpenMinMs: 45_000 },
  },
  {
    name: 'a transfer that is made while the account is open has a day to arrive',
    holds: ({ accountOpenMs, transferExpiryMs }) => accountOpenMs + dayMs <= transferExpiryMs,
    broken: { transferExpiryMs: 25 * hourMs },
  },
  {
    name: 'a card is stored for at most 15 minutes, and no longer than its charge can be paid',
    holds: (times) => times.continuationKeptMs <= 15 * minuteMs && times.continuationKeptMs < times.cardExpiryMs,
    broken: { continuationKeptMs: 16 * minuteMs },
  },
  {
    name: "a card is stored for longer than one customer's answer can take",
    holds: ({ answerClaimMs, continuationKeptMs }) => answerClaimMs < continuationKeptMs,
    broken: { continuationKeptMs: 50_000 },
  },
  {
    name: 'waits between tries never become shorter',
    holds: (times) =>
      isRising(...times.pollStepsMs, times.lastPollMs) &&
      isRising(...times.refusalStepsMs, times.lastRefusalMs) &&
      isRising(...times.shortfallStepsMs, times.lastShortfallMs),
    broken: { pollStepsMs: [5000, 4000] },
  },
  {
    name: 'every wait ends within the hours of timers that a ready process has',
    holds: (times) => longestWaitMs(times) < times.timersAheadMinHours * hourMs,
    broken: { lastShortfallMs: 2 * hourMs },
  },
  {
    name: 'hours of timers are attached long before too few are left',
    holds: ({ timersAheadMinHours, timersAheadHours }) => timersAheadMinHours + 24 < timersAheadHours,
    broken: { timersAheadHours: 26 },
  },
  {
    name: 'no hour of timers is dropped before the lanes have read it',
    holds: ({ laneFirstLookbackMs, timersKeptHours }) => laneFirstLookbackMs < timersKeptHours * hourMs,
    broken: { timersKeptHours: 0 },
  },
  {
    name: 'a lane finds the timers of the longest transaction that the server allows to be silent',
    holds: (times) => times.laneLookbackEveryMs + times.idleTransactionMs <= times.laneLookbackMs,
    broken: { laneLookbackMs: 14_999 },
  },
  {
    name: 'polls of a lane overlap, and a last page is read again until the overlap has passed',
    holds: (times) => times.laneOverlapMs < times.laneSettleMs && times.lanePollEveryMs <= times.laneOverlapMs,
    broken: { laneOverlapMs: 1000 },
  },
  {
    name: 'the sweeper takes only what the lanes have missed',
    holds: ({ laneLookbackMs, sweepLateMs }) => laneLookbackMs < sweepLateMs,
    broken: { sweepLateMs: 15_000 },
  },
  {
    name: 'the first poll of a lane reaches back to where the sweeper starts',
    holds: (times) => times.sweepLateMs + times.sweepEveryMs <= times.laneFirstLookbackMs,
    broken: { laneFirstLookbackMs: minuteMs },
  },
  {
    name: 'every process notices an unhealthy provider before its time is renewed',
    holds: ({ healthPollEveryMs, unhealthyMs }) => healthPollEveryMs < unhealthyMs / 2,
    broken: { unhealthyMs: 2000 },
  },
  {
    name: 'a batch postpones its blocked items before the lock times out, and a lock before its statement',
    holds: (times) => times.batchLockWaitMs < times.lockTimeoutMs && times.lockTimeoutMs < times.statementTimeoutMs,
    broken: { lockTimeoutMs: 5000 },
  },
  {
    name: 'a process drops a silent connection no sooner than the server ends its transaction',
    holds: (times) => times.statementTimeoutMs + times.statementGraceMs >= times.idleTransactionMs,
    broken: { statementGraceMs: 4999 },
  },
  {
    name: 'a request waits no longer for a database connection than for a statement',
    holds: (times) => times.databaseConnectTimeoutMs + times.databasePoolWaitMs <= times.statementTimeoutMs,
    broken: { databasePoolWaitMs: 3001 },
  },
  {
    name: 'the outcome of a batch can be looked up for longer than any batch looks for it',
    holds: (times) => {
      const batchMs = times.statementTimeoutMs + times.statementGraceMs
      return batchMs + times.commitLookupMs + times.commitLookupLaterMs < times.commitsKeptMs / 2
    },
    broken: { commitsKeptMs: 30_000 },
  },
  {
    name: 'a provider that cannot be reached is noticed before a query or a send times out',
    holds: (times) => times.outboundConnectTimeoutMs < Math.min(times.queryTimeoutMs, times.submitTimeoutMs),
    broken: { outboundConnectTimeoutMs: 15_000 },
  },
  {
    name: 'a callback is stored, or given up, before a caller would stop waiting',
    holds: ({ callbackStoreWaitMs, callerWaitMs }) => callbackStoreWaitMs < callerWaitMs,
    broken: { callbackStoreWaitMs: 8000 },
  },
  {
    name: 'a webhook attempt ends, and its response is stored, before another worker may claim it',
    holds: (times) => times.webhookTimeoutMs + times.statementTimeoutMs + times.statementGraceMs < times.webhookLeaseMs,
    broken: { webhookLeaseMs: 25_000 },
  },
  {
    name: 'webhook claims find the records of the longest transaction that the server allows to be silent',
    holds: ({ idleTransactionMs, webhookPollEveryMs, webhookLookbackMs }) =>
      idleTransactionMs + webhookPollEveryMs < webhookLookbackMs,
    broken: { webhookLookbackMs: 10_000 },
  },
  {
    name: 'a webhook whose worker died is found within two leases',
    holds: ({ webhookReadAllEveryMs, webhookLeaseMs }) => webhookReadAllEveryMs <= webhookLeaseMs,
    broken: { webhookReadAllEveryMs: minuteMs },
  },
  {
    name: 'the sandbox clock gives up waiting for a send before the send deadline and before its caller',
    holds: (times) =>
      times.sandboxSendPollEveryMs < times.sandboxSendWaitMs &&
      times.sandboxSendWaitMs < Math.min(times.callerWaitMs, times.sendDeadlineMs),
    broken: { sandboxSendWaitMs: 8000 },
  },
  {
    name: 'a payout to a new beneficiary can still be approved when the beneficiary is no longer new',
    holds: ({ approvalMs, newBeneficiaryMs }) => approvalMs > newBeneficiaryMs,
    broken: { approvalMs: 60 * minuteMs },
  },
  {
    name: 'a payout whose wait for approval is counted as our time is within the objective all the same',
    holds: ({ approvalCountedMs }) => approvalCountedMs < objectiveOfTimeToFinalMs,
    broken: { approvalCountedMs: 5 * minuteMs },
  },
  {
    name: 'a sandbox fault is set, and its send is made, before the send times out',
    holds: (times) => simulatorTimeoutMs + times.outboundConnectTimeoutMs < times.submitTimeoutMs,
    broken: { submitTimeoutMs: 7000 },
  },
]

for (const { name, holds, broken } of guarantees)
  test(name, () => {
    assert.ok(holds(timing))
    assert.ok(!holds({ ...timing, ...broken }), 'a broken table must be noticed')
  })

test('every time limit but the idle time of connections takes part in a guarantee', () => {
  const used = new Set<string | symbol>()
  const watched = new Proxy<Timing>(timing, {
    get: (times, name) => {
      used.add(name)
      return Reflect.get(times, name)
    },
  })
  for (const { holds } of guarantees) assert.ok(holds(watched))

  const free = Object.keys(timing).filter((name) => !used.has(name))
  assert.deepEqual(free, ['outboundIdleMs'])
})

test('a time limit of a payment is defined in the table and nowhere else', () => {
  const source = join(import.meta.dirname, '../..')
  const folders = ['payments', 'charges', 'payouts', 'sandbox']
  const workers = ['lanes', 'sweeper', 'paid-accounts', 'deliveries'].map((name) => `workers/${name}.ts`)
  const files = folders.flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const isRead = (file: string) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('/timing.ts')

  const defined = [...files.filter(isRead), ...workers].flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8')
    return [...text.matchAll(/^(?:export )?const (\w+(?:Ms|Seconds|Minutes|Hours)) = [[\d]/gm)].map(
      ([, name]) => `${file}: ${name}`,
    )
  })

  assert.deepEqual(defined, [])
})

test('"not found" of every provider counts only after a send has ended', async () => {
  const config = loadConfig({
    ...makeSecrets(new Date()),
    DATABASE_URL: 'postgres://127.0.0.1/malipo',
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:1',
    MALIPO_SIMULATOR_TOKEN: 'a-token-of-the-simulator',
  })
  const connectors = openConnectors(config, loadReferenceData(), undefined)

  assert.deepEqual([...connectors.sandbox.keys()].sort(), ['flutterwave', 'house', 'pawapay'])
  assert.deepEqual(windowProblems(connectors), [])
  await connectors.close()
})

test('a connector whose window is shorter than a provider call is refused by name', () => {
  const window = (notFoundWindowMs: number) => ({ id: 'quick', payouts: { notFoundWindowMs } }) as unknown as Connector
  const problems = (connector: Connector) =>
    windowProblems({ live: new Map([['quick', connector]]), sandbox: new Map() })

  assert.deepEqual(problems(window(timing.submitTimeoutMs)), [])
  assert.match(problems(window(timing.submitTimeoutMs - 1)).join(), /connector quick is unsafe.* payouts is 34999/)
})
