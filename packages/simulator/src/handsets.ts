import type { Clock } from './clock.ts'
import { isEnd, type Payment } from './entries.ts'
import { type DrawnFault, findFault } from './faults.ts'

/** Phones that a person plays: their prompts wait for that person instead of for the outcome that the number chose. */
export interface Handsets {
  /** Takes the phone for the next seconds. Its page repeats this as long as it is open. */
  take(phone: string): void
  isTaken(phone: string): boolean
}

const takenMs = 10_000
/** A person reads and types; operators end such a session after about as long. */
const promptMs = 90_000

export function startHandsets(clock: Clock): Handsets {
  const takenUntil = new Map<string, number>()
  const isTaken = (phone: string) => (takenUntil.get(digitsOf(phone)) ?? 0) > clock.now()
  return {
    isTaken,
    take: (phone) => {
      for (const each of takenUntil.keys()) if (!isTaken(each)) takenUntil.delete(each)
      takenUntil.set(phone, clock.now() + takenMs)
    },
  }
}

/** Some providers write numbers with a plus. */
const digitsOf = (phone: string) => phone.replaceAll(/\D/g, '')

/** A charge of such a phone waits, and then expires. It is stored like a fault, so that it lasts through a restart. */
export const handsetPrompt: DrawnFault = { fault: 'handset', mode: 'prompt_expires', delayMs: promptMs }

/** Open charges that ask this phone for a PIN, oldest first. */
export function promptsOf(payments: readonly Payment[], phone: string): Payment[] {
  return payments.filter(
    ({ operation, account, waitsFor, state }) =>
      operation === 'charge' && digitsOf(account) === phone && waitsFor === 'time' && !isEnd(state),
  )
}

/** When the prompt ends by itself; undefined if it waits for the person. */
export function endOfPrompt({ faults, acceptedAt, aheadMs = 0 }: Payment): number | undefined {
  const { delayMs } = findFault(faults, 'prompt_expires') ?? {}
  return delayMs === undefined ? undefined : acceptedAt + delayMs - aheadMs
}
