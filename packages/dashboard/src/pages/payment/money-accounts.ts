import { toMinor } from './minor-units.ts'
import type { LedgerEntry } from './payment-queries.ts'

/** A posting as it is now: a hold and its end are one. They are numbered from 1. */
export interface Posting extends Omit<LedgerEntry, 'kind'> {
  readonly state: 'posted' | 'held' | 'released'
}

export function postingsOf(entries: readonly LedgerEntry[]): Posting[] {
  const groups = [...Map.groupBy(entries, ({ number }) => number)].sort(([left], [right]) => left - right)
  return groups.flatMap(([, some], at) => {
    const posted = some.find(({ kind }) => kind === 'posted')
    const isReleased = some.some(({ kind }) => kind === 'released')
    const last = posted ?? some[0]
    return last ? [{ ...last, number: at + 1, state: posted ? 'posted' : isReleased ? 'released' : 'held' }] : []
  })
}

export interface Line {
  readonly number: number
  readonly amount: number
  readonly state: Posting['state']
}

/** One side is what left the account (debit), the other what came to it (credit). */
export interface TAccount {
  readonly key: string
  readonly name: string
  readonly country: string
  readonly currency: string
  readonly debits: readonly Line[]
  readonly credits: readonly Line[]
  /** Debits less credits, of what is posted or held. */
  readonly net: bigint
}

const order = ['wallet', 'in_progress', 'provider', 'fees']

const rankOf = (kind: string) => (order.includes(kind) ? order.indexOf(kind) : order.length)

/** The accounts of a payment's postings, the wallet first. */
export function accountsOf(postings: readonly Posting[]): TAccount[] {
  const sides = postings.flatMap((posting) => [
    { posting, account: posting.debit, isDebit: true },
    { posting, account: posting.credit, isDebit: false },
  ])
  const groups = Map.groupBy(
    sides,
    ({ posting, account }) => `${account.kind} ${account.name} ${account.country} ${posting.currency}`,
  )
  return [...groups]
    .flatMap(([key, some]) => {
      const [first] = some
      if (!first) return []
      const { name, country, kind } = first.account
      const { currency } = first.posting
      const linesOf = (isDebit: boolean) =>
        some.filter((side) => side.isDebit === isDebit).map(({ posting }) => posting)
      const [debits, credits] = [linesOf(true), linesOf(false)]
      return [{ key, name, country, kind, currency, debits, credits, net: totalOf(debits) - totalOf(credits) }]
    })
    .sort((left, right) => rankOf(left.kind) - rankOf(right.kind))
}

const totalOf = (postings: readonly Posting[]) =>
  postings
    .filter(({ state }) => state !== 'released')
    .reduce((sum, { amount, currency }) => sum + toMinor(amount, currency), 0n)
