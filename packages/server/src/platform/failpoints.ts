/**
 * Every place on the money path where a crash makes a difference, by name: before and after each wait. test/failpoints.test.ts
 * crashes at every one and proves what must hold after it.
 */
export const failpoints = {
  'batch.begin': 'A batch is formed; its transaction has not started.',
  'batch.commit_sent': 'COMMIT of a batch is sent; its response has not arrived.',

  'accept.begun': 'The transaction of an acceptance has started; nothing is locked.',
  'accept.locked': 'References, keys and wallets of an acceptance are claimed and locked.',
  'accept.written': 'New payments are written; the transaction is not committed.',
  'accept.committed': 'New payments are committed; the callers and lanes are not notified.',
  'payout.accepted': 'A payout is accepted; its lane is not woken and the response not sent.',
  'bulk.reserved': 'The idempotency key of a bulk request is stored; none of its payouts is.',
  'bulk.accepted': 'The payouts of a bulk request are accepted; the response is not sent.',
  'cancel.found': 'A payout to cancel is found and unchanged.',
  'cancel.resolved': 'The cancellation of a payout is decided; the response is not sent.',

  'claim.written': 'A lane has claimed payments; the transaction is not committed.',
  'claim.committed': 'A lane has committed its claim; no call is started.',
  'claim_one.written': 'A request has claimed a payment; the transaction is not committed.',
  'send.due': 'A payment is about to be sent; its send deadline is not checked yet.',
  'send.first_byte': 'A payment may be sent; the first byte has not left.',
  'send.responded': 'The provider has responded to a submission; the response is not recorded.',
  'query.first_byte': 'A provider is about to be queried.',
  'query.responded': 'A provider has responded to a query; the response is not recorded.',
  'dispatch.resolved': 'The outcome of a submission or query is resolved; its lane is not notified.',

  'resolve.locked': 'Payments with new observations are locked with their wallets.',
  'resolve.written': 'The changes by observations are written; the transaction is not committed.',
  'resolve.committed': 'The changes by observations are committed; waiting callers are not notified.',
  'callback.verified': 'A callback is verified and not resolved.',
  'callback.resolved': 'A callback is resolved; the response is not sent.',

  'momo.accepted': 'A charge is accepted; its lane is not woken and the response not sent.',
  'charge.resolved': 'A charge sent by its own request is resolved; the response is not stored.',
  'charge.stored': 'The response of such a charge is stored and not sent.',
  'transfer.claimed': 'A request that continues a bank transfer charge has claimed it and not sent it.',
  'transfer.resolved': 'A continued bank transfer charge is resolved; the response is not stored.',
  'transfer.stored': 'The response of a continued bank transfer charge is stored and not sent.',
  'continuation.written': 'The continuation of a card charge is written; the transaction is not committed.',
  'authorise.claimed': "A charge is claimed for its customer's answer.",
  'authorise.opened': 'The continuation of a card charge is decrypted.',
  'authorise.first_byte': "A customer's answer may be sent; the first byte has not left.",
  'authorise.responded': "The provider has responded to a customer's answer; the response is not recorded.",
  'authorise.resolved': "The outcome of a customer's answer is resolved; the response is not sent.",

  'webhook.leased': 'Webhooks are claimed; the transaction is not committed.',
  'webhook.claimed': 'The claim of webhooks is committed; no delivery is started.',
  'webhook.first_byte': 'A webhook is signed and not sent.',
  'webhook.responded': 'A receiver has responded; the response is not recorded.',
  'webhook.reporting': 'The responses of receivers are written; the transaction is not committed.',
  'webhook.reported': 'The response of a receiver is stored; the delivery has not ended.',
  'relay.held': 'The relay of events is locked; nothing is published.',
  'relay.published': 'Events are in the stream; the relay has not recorded it.',
  'relay.advanced': 'The relay has recorded what it published.',
  'sweep.found': 'Late payments are found and not in the queues of their lanes.',
  'sweep.queued': 'Late payments are in the queues of their lanes and none of them is claimed.',
  'deltas.folded': 'Deltas are folded into their accounts; the transaction is not committed.',

  'operator.locked': 'A payment is locked for the operator who resolves it.',
  'operator.written': 'Money moved by an operator is written with its audit row; the transaction is not committed.',
} as const satisfies Record<string, string>

export type Failpoint = keyof typeof failpoints

/**
 * Marks that a place is reached, and does nothing: no setting changes that. Fault injection replaces this module as the process
 * loads (test/support/faults/failing.ts).
 */
export function reach(_place: Failpoint): void {}
