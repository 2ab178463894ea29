/** How much a proof does. The defaults are what an ordinary run takes; the environment may ask for more, or for less. */
export function proofSize(
  name:
    | 'SECONDS'
    | 'CUTS'
    | 'KILLS'
    | 'EDITS'
    | 'SEED'
    | 'PAYOUTS'
    | 'CHARGES'
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
