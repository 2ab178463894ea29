/** The events that merchants receive, with when each is sent; docs/reference/events.md is generated from this. */
export const eventNames = {
  transaction_created: 'A charge or payout was accepted. It is the first event of every payment.',
  transaction_updated:
    'The status changed, or the stage changed in a way you can act on, such as a new question to the customer. A failure is reported by this event too.',
  adjustment_created:
    'Money of a payment moved after its end, and your wallet was credited or debited. The payment keeps its status; the adjustment is a transaction of its own that names it.',
} as const

export type EventName = keyof typeof eventNames
