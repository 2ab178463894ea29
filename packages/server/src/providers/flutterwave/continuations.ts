import { asFields, type Fields, readFields } from './messages.ts'

/**
 * What must be sent with a customer's answer. For a PIN or an address Flutterwave needs the whole charge again,
 * including the card. So this may hold a card: it is only for the code that seals it.
 */
export type Continuation =
  | { readonly step: 'pin' | 'address'; readonly charge: Fields }
  | { readonly step: 'otp'; readonly flwRef: string }

export function writeContinuation(key: string, continuation: Continuation): string {
  return JSON.stringify({ key, ...continuation })
}

/** Undefined unless Malipo wrote it for this exact payment and this kind of answer. */
export function readContinuation(text: string, key: string, step: Continuation['step']): Continuation | undefined {
  const { key: of, step: kept, charge, flwRef } = readFields(text) ?? {}
  if (of !== key || kept !== step) return undefined
  if (step === 'otp') return isReference(flwRef) ? { step, flwRef } : undefined
  const fields = asFields(charge)
  return fields?.['tx_ref'] === key ? { step, charge: fields } : undefined
}

/** Flutterwave's own reference of a charge. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value)
}
