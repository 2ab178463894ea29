import { inventPayment, type WebhookBody } from './events.ts'

/** One delivery of a case, and what the receiver must do with it. */
export interface Step {
  /** Names the delivery, as the start of a sentence. */
  readonly what: string
  readonly body: WebhookBody
  readonly must: 'accept' | 'refuse'
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
  readonly mend: string
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
        { what: 'its end', body: charge.successful(), must: 'accept' },
        { what: 'the first event of a payout', body: payout.created(), must: 'accept' },
        { what: 'its failure', body: payout.failed(), must: 'accept' },
      ],
      holds: { reference: charge.reference, status: 'successful', isTrue: true },
      mend: 'Answer 2xx once you have kept the event, also for a payment you do not know. If it answers 400 or 401: is the secret the one your receiver verifies with, and does it verify the bytes as they came, before any parser?',
    },
  ]
}

function repeatedCases(): Case[] {
  const [twice, turned, unheard, cut] = [inventPayment(), inventPayment(), inventPayment(), inventPayment()]
  const [created, ended] = [twice.created(), twice.successful()]
  return [
    {
      name: 'duplicate',
      rule: 'The same event delivered twice is accepted both times.',
      steps: [
        { what: 'the first delivery', body: created, must: 'accept' },
        { what: 'the same id again', body: created, must: 'accept' },
        { what: 'its end', body: ended, must: 'accept' },
        { what: 'its end again, under the same id', body: ended, must: 'accept' },
      ],
      mend: 'Keep the webhook-id of everything you have taken, with a unique constraint, and answer 200 at once for one you have already: a refusal only makes Malipo send it again.',
    },
    {
      name: 'reordered',
      rule: 'The end of a payment is accepted before its beginning, and stays the end.',
      steps: [
        { what: 'the end, which came first', body: turned.successful(), must: 'accept' },
        { what: 'the beginning, which came last', body: turned.created(), must: 'accept' },
      ],
      holds: { reference: turned.reference, status: 'successful', isTrue: true },
      mend: 'Do not expect transaction_created before transaction_updated. Keep the highest sequence of each transactionId and leave alone what is older, with a 200; a successful or failed payment never changes again.',
    },
    {
      name: 'retried',
      rule: 'An event whose first attempt broke off is accepted when it comes again.',
      steps: [
        {
          what: 'a second attempt after one whose answer was not heard',
          body: unheard.created(),
          must: 'accept',
          brokenOff: 'end',
        },
        {
          what: 'a second attempt after one that was cut in the middle',
          body: cut.created(),
          must: 'accept',
          brokenOff: 'middle',
        },
      ],
      mend: 'Remember an id only together with its effect, in one database transaction, and survive a connection that is cut while you read it.',
    },
  ]
}

function timeCases(now: Date): Case[] {
  const daysAgo = new Date(now.getTime() - 3 * 24 * hour * 1000)
  return [
    {
      name: 'late',
      rule: 'An event that is late is accepted: signed within 5 minutes, whenever it happened.',
      steps: [
        { what: 'one signed 4 minutes ago', body: inventPayment().created(), must: 'accept', awaySeconds: -240 },
        { what: 'one of 3 days ago, signed now', body: inventPayment('deposit', daysAgo).created(), must: 'accept' },
      ],
      mend: 'Compare the header webhook-timestamp with your clock and allow 300 seconds either way. The timestamp in the body says when it happened, which may be days ago: Malipo tries for three days.',
    },
    {
      name: 'too old',
      rule: 'An event signed more than 5 minutes away from now is refused, though its signature is right.',
      steps: [
        { what: 'one signed an hour ago', body: inventPayment().successful(), must: 'refuse', awaySeconds: -hour },
        { what: 'one signed an hour ahead', body: inventPayment().successful(), must: 'refuse', awaySeconds: hour },
      ],
      mend: 'Refuse with 400 when webhook-timestamp is more than 300 seconds from your clock: whoever caught a request could send it again.',
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
      rule: 'An event signed with another secret is refused.',
      steps: [{ what: 'a forged event', body: forged.successful(), must: 'refuse', signedBy: 'stranger' }],
      holds: { reference: forged.reference, status: 'successful', isTrue: false },
      mend: 'Verify the signature before anything else and answer 400 or 401 when it does not match: anybody who knows your URL can tell you that they have paid.',
    },
    {
      name: 'changed body',
      rule: 'An event whose body was changed after it was signed is refused.',
      steps: [
        {
          what: 'an event with another amount than was signed',
          body: honest,
          sentBody: { ...honest, data: { ...honest.data, amount: 1_500_000 } },
          must: 'refuse',
        },
      ],
      holds: { reference: changed.reference, status: 'successful', isTrue: false },
      mend: 'Compute the signature over id, timestamp and the raw body, all three, and compare it with the header.',
    },
    {
      name: 'missing header',
      rule: 'An event without one of the three headers is refused.',
      steps: headers.map((withoutHeader) => {
        return { what: `one without ${withoutHeader}`, body: bare.successful(), must: 'refuse', withoutHeader }
      }),
      mend: 'Treat a missing webhook-id, webhook-timestamp or webhook-signature as a wrong signature: answer 400, not 500.',
    },
    {
      name: 'rotation',
      rule: 'While the secret is changed there are two signatures, and the second is looked at too.',
      steps: [
        {
          what: 'one whose second signature is yours',
          body: inventPayment().created(),
          must: 'accept',
          signedBy: 'rotated',
        },
      ],
      mend: 'Split webhook-signature at blanks and accept the event if any of its signatures matches.',
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
      rule: 'An event of a kind that does not exist yet is accepted.',
      steps: [
        { what: 'transaction_archived', body: strange.successful({ event: 'transaction_archived' }), must: 'accept' },
        {
          what: 'a known event with a field more',
          body: { ...strange.created(), data: { ...strange.created().data, colour: { name: 'green' } } },
          must: 'accept',
        },
      ],
      mend: 'Answer 200 to events you do not know and leave them alone; do not fail on fields you do not know.',
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
      mend: 'Let your server take bodies of at least 64 KiB.',
    },
  ]
}
