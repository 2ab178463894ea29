import type { Clock, Timer } from './clock.ts'
import type { Payment } from './entries.ts'

/** One planned event of a payment. */
interface Plan {
  /** In the payment's own time. */
  readonly moment: number
  readonly run: (moment: number) => void
  timer: Timer
}

/** A payment with at least one plan. */
interface Waiting {
  readonly payment: Payment
  readonly plans: Set<Plan>
}

/**
 * The planned events of payments. A payment's own time equals the clock until time passes for its owner alone. Its
 * plans then run sooner, and those of other owners do not.
 */
export interface Plans {
  /** Runs when the payment's own time reaches the moment. Later events are planned from that moment. */
  at(payment: Payment, moment: number, run: (moment: number) => void): void
  /** Brings forward the plans of this owner's payments, after `move` moved the time of each. Returns how many payments. */
  pass(owner: string, move: (payment: Payment) => void): number
  clear(): void
}

/** Overdue plans of one payment run this far apart, so that each callback arrives before the next one. */
const apartMs = 5_000

export function startPlans(clock: Clock): Plans {
  const waiting = startWaiting()

  const arm = (who: Waiting, plan: Plan, due: number): Timer =>
    clock.at(due, () => {
      who.plans.delete(plan)
      if (who.plans.size === 0) waiting.remove(who)
      plan.run(plan.moment)
    })

  const at: Plans['at'] = (payment, moment, run) => {
    const who = waiting.open(payment)
    const { aheadMs = 0 } = payment
    const isOverdue = aheadMs > 0 && moment - aheadMs < clock.now()
    const plan = { moment, run } as Plan
    plan.timer = arm(who, plan, isOverdue ? clock.now() + apartMs : moment - aheadMs)
    who.plans.add(plan)
  }

  const bringForward = (who: Waiting) => {
    const { aheadMs = 0 } = who.payment
    let earliest = clock.now()
    for (const plan of [...who.plans].sort((one, other) => one.moment - other.moment)) {
      const due = Math.max(plan.moment - aheadMs, earliest)
      plan.timer.cancel()
      plan.timer = arm(who, plan, due)
      earliest = due === earliest ? due + apartMs : due
    }
  }

  const pass: Plans['pass'] = (owner, move) => {
    const found = waiting.ofOwner(owner)
    for (const who of found) {
      move(who.payment)
      bringForward(who)
    }
    return found.length
  }

  return { at, pass, clear: waiting.clear }
}

/** The payments with plans, also by owner. */
function startWaiting() {
  const byPayment = new Map<Payment, Waiting>()
  const byOwner = new Map<string, Set<Waiting>>()

  const add = (payment: Payment): Waiting => {
    const owner = ownerOf(payment)
    const fresh = { payment, plans: new Set<Plan>() }
    byPayment.set(payment, fresh)
    if (owner !== undefined) byOwner.set(owner, (byOwner.get(owner) ?? new Set()).add(fresh))
    return fresh
  }

  const remove = (done: Waiting) => {
    const owner = ownerOf(done.payment) ?? ''
    byPayment.delete(done.payment)
    byOwner.get(owner)?.delete(done)
    if (byOwner.get(owner)?.size === 0) byOwner.delete(owner)
  }

  return {
    open: (payment: Payment) => byPayment.get(payment) ?? add(payment),
    remove,
    ofOwner: (owner: string): readonly Waiting[] => [...(byOwner.get(owner) ?? [])],
    clear: () => {
      byPayment.clear()
      byOwner.clear()
    },
  }
}

/** The owner named when its faults were set. */
const ownerOf = ({ faults }: Payment) => faults.find(({ owner }) => owner !== undefined)?.owner
