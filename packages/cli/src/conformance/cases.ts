import { inventPayment, type WebhookBody } from './events.ts'

/** One delivery of a case, and what the receiver must do with it. */
export interface Step {
  /** Names the delivery, as the start of a sentence. */
  readonly what: string
  readonly body: WebhookBody
  readonly must: 'accept' | 'reject'
  /** Offset of the header's time from now. */
  readonly awaySeconds?: number
  /** Whose secret signs; default: the receiver's. `rotated` signs with both, the receiver's last. */
  readonly signedBy?: 'stranger' | 'rotated'
  /** Sent in place of the signed body. */
  readonly sentBody?: WebhookBody
  readonly withoutHeader?: 'webhook-id' | 'webhook-timestamp' | 'webhook-signature'
  /** Where the first attempt is cut; the response to the next attempt counts. */
  readonly brokenOff?: 'middle' | 'end'
}

export interface Case {
  readonly name: string
  /** What a correct receiver does, as a sentence. */
  readonly rule: string
  readonly steps: readonly Step[]
  /** With --read-url: the status that the receiver must hold at the end, or must not hold if `isTrue` is false. */
  readonly holds?: { readonly reference: string; readonly status: string; readonly isTrue: boolean }
  /** How to fix a receiver that breaks the rule. */
  readonly fix: string
}

const hour = 3600
const largeBytes = 60_000

/** All cases, with new payments for every run. */
export function makeCases(now: Date): Case[] {
  return [...ordinaryCases(), ...repeatedCases(), ...timeCases(now), ...forgedCases(), ...oddCases()]
}

function ordinaryCases(): Case[] {
  const [charge, payout] = [inventPayment(), inventPayment('withdrew')]
  return [
    {
      name: 'plain',
      rule: 'A new event is accepted.',
      steps: [
        { what: 'the first event of a charge', body: charge.created(), must: 'accept' },
        { what: 'its final event', body: charge.successful(), must: 'accept' },
        { what: 'the first event of a payout', body: payout.created(), must: 'accept' },
        { what: 'its failure', body: payout.failed(), must: 'accept' },
      ],
      holds: { reference: charge.reference, status: 'successful', isTrue: true },
      fix: 'Respond with 2xx once the event is stored, also for an unknown payment. If it responds with 400 or 401, check that it verifies with this secret, and the bytes as received, before any parser.',
    },
  ]
}

function repeatedCases(): Case[] {
  const [twice, reordered, lost, cut] = [inventPayment(), inventPayment(), inventPayment(), inventPayment()]
  const [created, ended] = [twice.created(), twice.successful()]
  return [
    {
      name: 'duplicate',
      rule: 'The same event delivered twice is accepted both times.',
      steps: [
        { what: 'the first delivery', body: created, must: 'accept' },
        { what: 'the same id again', body: created, must: 'accept' },
        { what: 'its final event', body: ended, must: 'accept' },
        { what: 'its final event again, under the same id', body: ended, must: 'accept' },
      ],
      fix: 'Store the webhook-id of every accepted event with a unique constraint, and respond with 200 at once for a known one: Malipo retries after a rejection.',
    },
    {
      name: 'reordered',
      rule: 'The final status of a payment is accepted before its first event, and stays final.',
      steps: [
        { what: 'the final event, delivered first', body: reordered.successful(), must: 'accept' },
        { what: 'the first event, delivered last', body: reordered.created(), must: 'accept' },
      ],
      holds: { reference: reordered.reference, status: 'successful', isTrue: true },
      fix: 'Do not expect transaction_created before transaction_updated. Store the highest sequence of each transactionId and ignore older events with a 200; a successful or failed payment never changes again.',
    },
    {
      name: 'retried',
      rule: 'An event whose first attempt broke off is accepted on retry.',
      steps: [
        {
          what: 'a second attempt after a lost response',
          body: lost.created(),
          must: 'accept',
          brokenOff: 'end',
        },
        {
          what: 'a second attempt after one cut in the middle',
          body: cut.created(),
          must: 'accept',
          brokenOff: 'middle',
        },
      ],
      fix: 'Store an id only together with its effect, in one database transaction, and handle a connection that is cut while you read it.',
    },
  ]
}

function timeCases(now: Date): Case[] {
  const daysAgo = new Date(now.getTime() - 3 * 24 * hour * 1000)
  return [
    {
      name: 'late',
      rule: 'A late event is accepted if it was signed within 5 minutes.',
      steps: [
        { what: 'one signed 4 minutes ago', body: inventPayment().created(), must: 'accept', awaySeconds: -240 },
        { what: 'one of 3 days ago, signed now', body: inventPayment('deposit', daysAgo).created(), must: 'accept' },
      ],
      fix: 'Compare the header webhook-timestamp with your clock and allow 300 seconds either way. The timestamp in the body says when it happened, which may be days ago: Malipo retries for three days.',
    },
    {
      name: 'too old',
      rule: 'An event signed more than 5 minutes from now is rejected, even with a valid signature.',
      steps: [
        { what: 'one signed an hour ago', body: inventPayment().successful(), must: 'reject', awaySeconds: -hour },
        { what: 'one signed an hour ahead', body: inventPayment().successful(), must: 'reject', awaySeconds: hour },
      ],
      fix: 'Reject with 400 when webhook-timestamp is more than 300 seconds from your clock: an attacker could replay a captured request.',
    },
  ]
}

function forgedCases(): Case[] {
  const [forged, changed, bare] = [inventPayment(), inventPayment(), inventPayment()]
  const honest = changed.successful()
  const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
  return [
    {
      name: 'bad signature',
      rule: 'An event signed with another secret is rejected.',
      steps: [{ what: 'a forged event', body: forged.successful(), must: 'reject', signedBy: 'stranger' }],
      holds: { reference: forged.reference, status: 'successful', isTrue: false },
      fix: 'Verify the signature first and respond with 400 or 401 if it does not match: without it, a request from any sender could claim a payment.',
    },
    {
      name: 'changed body',
      rule: 'An event whose body was changed after it was signed is rejected.',
      steps: [
        {
          what: 'an event with another amount than was signed',
          body: honest,
          sentBody: { ...honest, data: { ...honest.data, amount: 1_500_000 } },
          must: 'reject',
        },
      ],
      holds: { reference: changed.reference, status: 'successful', isTrue: false },
      fix: 'Compute the signature over id, timestamp and the raw body, all three, and compare it with the header.',
    },
    {
      name: 'missing header',
      rule: 'An event without one of the three headers is rejected.',
      steps: headers.map((withoutHeader) => {
        return { what: `one without ${withoutHeader}`, body: bare.successful(), must: 'reject', withoutHeader }
      }),
      fix: 'Treat a missing webhook-id, webhook-timestamp or webhook-signature as a wrong signature: respond with 400, not 500.',
    },
    {
      name: 'rotation',
      rule: 'During a secret rotation an event has two signatures, and either is enough.',
      steps: [
        {
          what: 'one whose second signature is yours',
          body: inventPayment().created(),
          must: 'accept',
          signedBy: 'rotated',
        },
      ],
      fix: 'Split webhook-signature at blanks and accept the event if any of its signatures matches.',
    },
  ]
}

function oddCases(): Case[] {
  const [strange, large] = [inventPayment(), inventPayment()]
  const failureMessage = 'x'.repeat(largeBytes)
  const failed = large.failed()
  return [
    {
      name: 'unknown event',
      rule: 'An unknown kind of event is accepted.',
      steps: [
        { what: 'transaction_archived', body: strange.successful({ event: 'transaction_archived' }), must: 'accept' },
        {
          what: 'a known event with a field more',
          body: { ...strange.created(), data: { ...strange.created().data, colour: { name: 'green' } } },
          must: 'accept',
        },
      ],
      fix: 'Respond with 200 to unknown events and ignore them; ignore unknown fields.',
    },
    {
      name: 'large body',
      rule: `An event of ${largeBytes / 1000} kB is accepted.`,
      steps: [
        { what: 'a small event', body: large.created(), must: 'accept' },
        {
          what: 'a large event',
          body: {
            ...failed,
            data: { ...failed.data, failureReason: { failureCode: 'UNSPECIFIED_FAILURE', failureMessage } },
          },
          must: 'accept',
        },
      ],
      fix: 'Accept bodies of at least 64 KiB.',
    },
  ]
}
