import { asFields, type Fields, readFields } from './messages.ts'

/**
 * What a customer's answer must be sent with. For a PIN or an address Flutterwave wants the whole charge once more, card
 * and all, so this may hold a card: it is for whoever seals it, and for nobody else.
 */
export type Continuation =
  | { readonly step: 'pin' | 'address'; readonly charge: Fields }
  | { readonly step: 'otp'; readonly flwRef: string }

export function writeContinuation(key: string, continuation: Continuation): string {
  return JSON.stringify({ key, ...continuation })
}

/** Nothing unless it is one of ours, of this very payment and for this kind of answer. */
export function readContinuation(text: string, key: string, step: Continuation['step']): Continuation | undefined {
  const { key: of, step: kept, charge, flwRef } = readFields(text) ?? {}
  if (of !== key || kept !== step) return undefined
  if (step === 'otp') return isReference(flwRef) ? { step, flwRef } : undefined
  const fields = asFields(charge)
  return fields?.['tx_ref'] === key ? { step, charge: fields } : undefined
}

/** Flutterwave's own name of a charge. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value)
}
