import { copyServer, type Edit } from '../../tools/checks/planted-bugs.ts'
import { runWorlds, type WorldsResult } from './runner.ts'

/** A bug in how payments are made, planted in a copy of the server. */
export interface PlantedInPayments {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The violation it must cause: a bug that only breaks the program proves nothing. */
  readonly complaint: RegExp
  /** The first seed whose world has the violation. A change of the server may move it: then the test names the new one. */
  readonly seed: number
}

export const plantedInPayments: readonly PlantedInPayments[] = [
  {
    name: 'hold voided on timeout',
    edits: [
      {
        path: 'payments/resolve/decide.ts',
        text: '  // Another report has arrived meanwhile, and one lost response does not contradict it.\n',
        instead: `  // It took too long.
  if (payment.transaction.type === 'withdrew') return failed(failureOf('PROVIDER_UNAVAILABLE'), 'It took too long.')
`,
      },
      {
        path: 'payments/resolve/payment-postings.ts',
        text: `  'approval_expired',\n]`,
        instead: `  'approval_expired',\n  'unknown',\n]`,
      },
    ],
    complaint: /failed without a report, although its money has left|the provider moved|resolution refused/,
    seed: 18,
  },
  {
    name: 'wakeup before commit',
    edits: [
      {
        path: 'platform/batch.ts',
        text: '    decided = await db.batch(batchLockWaitMs, (tx) => decide(tx, items))\n',
        instead: `    decided = await db.batch(batchLockWaitMs, async (tx) => {
      const early = await decide(tx, items)
      for (const [index, { resolve }] of entries.entries()) resolve(early.results[index] as Result)
      return early
    })
`,
      },
    ],
    complaint: /the response named .* exists|no attempt with this key is stored/,
    seed: 3,
  },
  {
    name: 'double resolve',
    edits: [
      {
        path: 'payments/resolve/decide.ts',
        text: `return decideLate({ ...payment, ...pastOf(around) }, observed)
`,
        instead: `return observation.kind === 'reported' && observation.providerStatus.state === 'successful'
      ? successful(payment, observation.providerStatus.settled)
      : undefined
`,
      },
      {
        path: 'payments/resolve/payment-postings.ts',
        text: 'firstNumber: firstNumbers[event],',
        instead: 'firstNumber: firstNumbers[event] + 1000 * transaction.events,',
      },
      {
        path: 'payments/resolve/payment-postings.ts',
        text: 'holds: isEnding ? heldOf(transaction) : [],',
        instead: `holds: isEnding && transaction.state !== 'successful' ? heldOf(transaction) : [],`,
      },
    ],
    complaint: /the provider moved|LedgerDisagreement/,
    seed: 1,
  },
  {
    name: 'lost timer',
    edits: [
      {
        path: 'payments/resolve/payment-draft.ts',
        text: '  if (wake_at && wake_at !== before.wake_at)\n',
        instead: '  if (event && wake_at && wake_at !== before.wake_at)\n',
      },
    ],
    complaint: /no worker will poll/,
    seed: 1,
  },
  {
    name: 'state written twice',
    edits: [
      {
        path: 'payments/dispatch/claim.ts',
        text: `      reach('claim.written')\n`,
        instead: `      reach('claim.written')
    await tx.query(sql\`update transactions set state = 'sending' where id = any(\${wanted.flatMap(({ work }) => work.map(idOf))}::uuid[])\`)
`,
      },
    ],
    complaint: /no worker will poll|went from|is still/,
    seed: 1,
  },
  {
    name: 'callback trusted without re-query',
    edits: [
      {
        path: 'payments/resolve/decide-late.ts',
        text: `  return observation.kind === 'reported' && isLast(reported, question)
`,
        instead: `  return observation.kind === 'reported' && question?.number !== -1
`,
      },
    ],
    complaint: /the provider moved/,
    seed: 3,
  },
  {
    name: 'resend under a new key',
    edits: [
      {
        path: 'payments/dispatch/dispatch.ts',
        text: '  const ref = { ...refOf(transaction, attempt.number), ...scenarioFor(transaction, attempt) }',
        instead:
          '  const ref = { ...refOf(transaction, attempt.number + 8 * (attempt.sends - 1)), ...scenarioFor(transaction, attempt) }',
      },
    ],
    complaint: /attempts moved money|no attempt with this key is stored/,
    seed: 1,
  },
  {
    name: 're-route after unknown',
    edits: [
      {
        path: 'payments/resolve/decide.ts',
        text: `  const notifiesMerchant = payment.transaction.doubt === '' // One notification of doubt is enough.
`,
        instead: `  const notifiesMerchant = payment.transaction.doubt === ''
  const [next] = around.alternatives
  if (next !== undefined && payment.transaction.state === 'sending')
    return {
      progress: { state: 'accepted', doubt: '', wake_at: new Date(around.nowMs) },
      attempt: { outcome: 'not_submitted' },
      reroute: next,
      event: { message: 'Another provider is tried.', notifiesMerchant: false },
    }
`,
      },
    ],
    complaint: /attempts moved money|the provider moved/,
    seed: 11,
  },
  {
    name: 'late money dropped',
    edits: [
      {
        path: 'payments/resolve/decide-late.ts',
        text: '  if (difference === attempt.returned) return undefined\n',
        instead: '  if (difference >= attempt.returned) return undefined\n',
      },
    ],
    complaint: /the provider moved/,
    seed: 1,
  },
  {
    name: 'reversal booked twice',
    edits: [
      {
        path: 'payments/late-money/late-store.ts',
        text: `    set moved = n.moved, returned = n.returned\n`,
        instead: `    set returned = n.returned\n`,
      },
    ],
    complaint: /the provider moved/,
    seed: 1,
  },
  {
    name: 'first come, first served',
    edits: [
      {
        path: 'payments/dispatch/lane-queue.ts',
        text: `      const { value: id, done } = ids.next()
      if (!done) dealt.push({ id, merchant_id })
      return !done
`,
        instead: `      for (const id of { [Symbol.iterator]: () => ids }) dealt.push({ id, merchant_id })
      return false
`,
      },
      {
        path: 'payments/dispatch/lane-queue.ts',
        text: '      if (line && lines.delete(merchant_id)) lines.set(merchant_id, line)\n',
        instead: '      if (!line) lines.delete(merchant_id)\n',
      },
    ],
    complaint: /was sent after \d+ payouts of another merchant/,
    seed: 7,
  },
  {
    name: 'sent before its approval',
    edits: [
      {
        path: 'payments/accept/first-rows.ts',
        text: `  if (needsApproval) return 'unapproved'\n`,
        instead: '',
      },
    ],
    complaint: /was sent, its decision is null/,
    seed: 1,
  },
  {
    name: 'refunds of a charge not counted',
    edits: [
      {
        path: 'payments/refunds/accept-refunds.ts',
        text: 'return charge && amount > refundable(charge) ? refundable(charge) : undefined',
        instead: 'return charge && amount > charge.amount ? refundable(charge) : undefined',
      },
    ],
    complaint: /the refunds of a charge do not match its totals or exceed it|was refunded, /,
    seed: 9,
  },
  {
    name: 'failed refund covers its charge',
    edits: [
      {
        path: 'payments/refunds/refund-failed.ts',
        text: '  if (owed <= 0n) return undefined\n',
        instead: '  if (owed <= 1_000_000_000_000n) return undefined\n',
      },
    ],
    complaint: /was refunded, .* covered/,
    seed: 3,
  },
  {
    name: 'refund sent before its turn',
    edits: [
      {
        path: 'payments/model/lock-payments.ts',
        text: `      and not (t.doubt = 'earlier_refund' and waits_for_turn(t.id, t.related_transaction_id))\n`,
        instead: '',
      },
      {
        path: 'payments/accept/first-rows.ts',
        text: `wake_at && doubt === '' ?`,
        instead: 'wake_at ?',
      },
    ],
    complaint: /got refund .* while .* is open/,
    seed: 5,
  },
  {
    name: 'epoch forgotten',
    edits: [
      {
        path: 'ledger/books.ts',
        text: `      select \${link.batch}, d.*\n`,
        instead: '      select pg_current_xact_id()::text::bigint, d.*\n',
      },
    ],
    complaint: /LedgerDisagreement: the deltas of a batch differ from the sums of its transfers/,
    seed: 1,
  },
]

/** Runs the world of the recorded seed on a copy of the server with the bug. If it has no violation, searches from the first seed. */
export async function findPlanted({ edits, seed }: PlantedInPayments, worldsMax: number): Promise<WorldsResult> {
  return withPlanted(edits, async (folder) => {
    const recorded = await runWorlds(folder, { first: seed, worlds: 1 })
    return recorded.failure ? recorded : runWorlds(folder, { first: 1, worlds: worldsMax })
  })
}

/** Runs worlds on a copy of the server with the bug, until one has a violation. */
export function searchPlanted(
  { edits }: PlantedInPayments,
  order: Parameters<typeof runWorlds>[1],
): Promise<WorldsResult> {
  return withPlanted(edits, (folder) => runWorlds(folder, order))
}

async function withPlanted<Result>(edits: readonly Edit[], work: (folder: string) => Promise<Result>): Promise<Result> {
  const { folder, remove } = copyServer(edits, ['test', 'packages/server/data', 'tools/checks/planted-bugs.ts'])
  try {
    return await work(folder)
  } finally {
    remove()
  }
}
