import type { Random } from '../cluster/random.ts'
import type { Fault, Request } from './tcp-proxy.ts'

/** The steps of a batch as seen on the wire, and of the query after a lost COMMIT. */
const steps = {
  connect: /^connect$/,
  begin: /^\s*begin;/,
  'lock wallets': /for no key update/,
  write: /^\s*with changed as/,
  commit: /commit$/,
  rollback: /^rollback$/,
  'query the outcome': /pg_xact_status/,
  'find its batch row': /^\s*select from ledger_batches/,
} as const

type Step = keyof typeof steps | 'read holds' | 'read endings'

export function stepOf({ text, before }: Request): Step | undefined {
  if (/join transfers t using/.test(text)) return steps['lock wallets'].test(before) ? 'read endings' : 'read holds'
  return (Object.keys(steps) as (keyof typeof steps)[]).find((step) => steps[step].test(text))
}

interface Cut {
  readonly step: Step
  readonly fault: Fault
  /** No request passes uncut between the previous cut and this one. */
  readonly isAtOnce?: true
}

const moments = ['request lost', 'cut at once', 'response lost', 'half a response'] as const satisfies Fault[]

/** Three in a row exceed a batch's retries: six, since two posters share them. */
const storm: readonly Cut[] = Array.from({ length: 6 }, () => ({
  step: 'commit',
  fault: 'request lost',
  isAtOnce: true,
}))

/** Every step at every moment; a step that only follows a cut comes directly after one. */
const round: readonly Cut[] = [
  ...moments.flatMap((fault): Cut[] => [
    { step: 'begin', fault },
    { step: 'commit', fault },
    { step: 'connect', fault, isAtOnce: true },
    { step: 'read holds', fault },
    { step: 'commit', fault: 'response lost' },
    { step: 'query the outcome', fault, isAtOnce: true },
    { step: 'lock wallets', fault },
    { step: 'rollback', fault },
    { step: 'read endings', fault },
    { step: 'commit', fault: 'half a response' },
    { step: 'find its batch row', fault, isAtOnce: true },
    { step: 'write', fault },
    { step: 'commit', fault: 'cut at once' },
  ]),
  ...storm,
]

export interface CutPlan {
  faultOf(request: Request): Fault | undefined
  /** How often each step was cut at each moment. */
  readonly done: ReadonlyMap<Step, Readonly<Partial<Record<Fault, number>>>>
  count(): number
}

/** Repeats the round until enough cuts are made. Now and then it lets some requests pass, now and then none. */
export function planCuts(random: Random, cutsMax: number): CutPlan {
  const done = new Map<Step, Partial<Record<Fault, number>>>()
  let [next, count, letPass, waited] = [0, 0, 0, 0]
  const advance = () => {
    next = (next + 1) % round.length
    waited = 0
    letPass = round[next]?.isAtOnce ? 0 : random.below(12)
  }
  return {
    done,
    count: () => count,
    faultOf: (request) => {
      const cut = round[next]
      if (!cut || count >= cutsMax) return undefined
      letPass -= 1
      if (letPass >= 0) return undefined
      if (stepOf(request) !== cut.step) {
        waited += 1
        if (waited > 60) advance() // It did not come; it may in the next round.
        return undefined
      }
      const times = done.get(cut.step) ?? {}
      done.set(cut.step, { ...times, [cut.fault]: (times[cut.fault] ?? 0) + 1 })
      count += 1
      advance()
      return cut.fault
    },
  }
}
