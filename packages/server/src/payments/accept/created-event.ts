import type { NewEvent } from '../../events/emit.ts'
import { stageOf } from '../model/state.ts'
import type { Transaction } from '../model/store.ts'
import { merchantEventOf } from '../notify/webhook-body.ts'

export function createdEvent(transaction: Transaction, at: Date, cell: number): NewEvent {
  const { id, merchant_id, env, state } = transaction
  return {
    transaction_id: id,
    number: 1,
    merchant_id,
    env,
    cause: 'request',
    notification: merchantEventOf(transaction, 'transaction_created', 1, at, cell),
    state,
    stage: stageOf(state, undefined),
    message: messageOf(transaction),
    detail: {},
  }
}

function messageOf({ type, state }: Transaction): string {
  if (state === 'unapproved') return 'Payout accepted and waiting for approval; its money is reserved.'
  if (type === 'refund') return 'Refund accepted; its money is reserved.'
  if (type === 'conversion') return 'Converted.'
  return type === 'withdrew' ? 'Payout accepted; its money is reserved.' : 'Charge accepted.'
}
