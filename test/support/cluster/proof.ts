/** Size of a proof. The defaults suit an ordinary run; the environment may ask for more or less. */
export function proofSize(
  name:
    | 'SECONDS'
    | 'CUTS'
    | 'KILLS'
    | 'EDITS'
    | 'SEED'
    | 'PAYOUTS'
    | 'COPIES'
    | 'ROUNDS'
    | 'EVENTS'
    | 'DELIVERED'
    | 'LIVES'
    | 'STRIKES'
    | 'REQUESTS',
  byDefault: number,
): number {
  return Number(process.env[`MALIPO_PROOF_${name}`] ?? byDefault)
}
