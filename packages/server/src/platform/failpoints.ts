/**
 * Every place on the money path where a crash makes a difference, by name: before and after each wait. test/failpoints.test.ts
 * crashes at every one and proves what must hold after it.
 */
export const failpoints = {
  'batch.begin': 'A batch is formed; its transaction has not begun.',
  'batch.commit_sent': 'COMMIT of a batch is on its way and nobody has seen its answer.',

  'accept.begun': 'The transaction of an acceptance has begun and holds nothing.',
  'accept.locked': 'References, keys and wallets of an acceptance are taken and locked.',
  'accept.written': 'Everything about new payments is written and not committed.',
  'accept.committed': 'New payments are committed and nobody was told.',
  'payout.accepted': 'A payout is accepted; its lane was not rung and its caller not answered.',
  'bulk.reserved': 'The key of many payouts is kept, and none of them is.',
  'bulk.accepted': 'Many payouts are accepted and their caller was not answered.',
  'cancel.found': 'A payout to be cancelled was found and nothing done to it.',
  'cancel.settled': 'A payout is cancelled, or cannot be, and its caller was not answered.',

  'claim.written': 'A lane has claimed payments and not committed it.',
  'claim.committed': 'A lane has committed its claim and begun nothing.',
  'claim_one.written': 'A request has claimed a payment and not committed it.',
  'send.due': 'A payment is about to be sent and the time left for it was not looked at.',
  'send.first_byte': 'A payment may be sent, and the first byte has not left.',
  'send.answered': 'The provider has answered a sending, and nobody else knows.',
  'ask.first_byte': 'A provider is about to be asked.',
  'ask.answered': 'A provider has answered a question, and nobody else knows.',
  'dispatch.settled': 'What came of a sending or a question is settled, and its lane does not know.',

  'resolve.locked': 'Payments that have news are locked with their wallets.',
  'resolve.written': 'What news changes is written and not committed.',
  'resolve.committed': 'What news changes is committed and nobody was told.',
  'callback.verified': 'A callback is believed and not settled.',
  'callback.resolved': 'A callback is settled and not thanked for.',

  'momo.accepted': 'A charge is accepted; its lane was not rung and its caller not answered.',
  'charge.settled': 'A charge that a request sent is settled, and its answer not kept.',
  'charge.kept': 'The answer of such a charge is kept and not given.',
  'transfer.claimed': 'A request that goes on with a charge by transfer has claimed it and not sent it.',
  'transfer.settled': 'A request has gone on with a charge by transfer, and its answer is not kept.',
  'transfer.kept': 'The answer of a request that went on with a charge by transfer is kept and not given.',
  'continuation.kept': 'What a card charge goes on with is written and not committed.',
  'authorise.claimed': 'A charge is claimed for what its customer answered.',
  'authorise.opened': 'What a card charge goes on with is read.',
  'authorise.first_byte': 'What a customer answered may be sent, and the first byte has not left.',
  'authorise.answered': 'The provider has answered what a customer answered, and nobody else knows.',
  'authorise.settled': 'What came of an answer is settled and its caller not told.',

  'webhook.leased': 'Webhooks are claimed and it is not committed.',
  'webhook.claimed': 'The claim of webhooks is committed and none of them begun.',
  'webhook.first_byte': 'A webhook is signed and not sent.',
  'webhook.replied': 'A receiver has replied, and nobody else knows.',
  'webhook.reporting': 'What receivers replied is written and not committed.',
  'webhook.reported': 'What a receiver replied is kept, and the delivery has not ended.',
  'relay.held': 'The relay of events is held and nothing told.',
  'relay.published': 'Events are in the stream, and the relay does not know.',
  'relay.advanced': 'The relay knows what it told.',
  'sweep.found': 'Late payments are found and not in the queues of their lanes.',
  'sweep.queued': 'Late payments are in the queues of their lanes and none of them is claimed.',
  'deltas.folded': 'Deltas are folded into their accounts and it is not committed.',

  'operator.locked': 'A payment is locked for the operator who judges it.',
  'operator.written': 'What an operator does with money is written with its audit row and not committed.',
} as const satisfies Record<string, string>

export type Failpoint = keyof typeof failpoints

/**
 * Marks that a place is reached, and does nothing: no setting changes that. Fault injection replaces this module as the process
 * loads (test/support/faults/failing.ts).
 */
export function reach(_place: Failpoint): void {}
