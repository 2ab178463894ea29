import { AppError } from '../../../packages/server/src/errors.ts'
import type { Movement, Refusal } from '../../../packages/server/src/ledger/books.ts'
import { newTransactionId } from '../../../packages/server/src/platform/ids.ts'
import type { Posting } from '../../../packages/server/src/testing/poster.ts'
import type { Random } from '../cluster/random.ts'

type Ending = Extract<Movement, { kind: 'post' | 'void' }>

/** The result that the ledger reported to a customer. */
export type PostingResult = 'applied' | Refusal | 'duplicate' | 'overloaded'

/** A posting request, and its result if one came. */
export interface PostingRequest {
  readonly posting: Posting
  result?: PostingResult
  /** It was retried because no result came: the ledger may hold the earlier one. */
  isRepeated?: true
}

export interface Accounts {
  readonly wallets: readonly string[]
  readonly treasury: string
  readonly clearing: string
}

/** Customers that request everything the ledger can do, refusals included, and record every request. */
export interface Customers {
  readonly record: readonly PostingRequest[]
  ask(): PostingRequest
  noteResult(asked: PostingRequest, result: PostingResult): void
}

export const proofEvent = 'proof'

export function createCustomers(random: Random, accounts: Accounts): Customers {
  const record: PostingRequest[] = []
  const open: Ending[] = []
  const ended: Ending[] = []
  const applied: Movement[] = []
  const kinds = kindsOf(random, accounts, { open, ended, applied })
  return {
    record,
    ask: () => {
      const asked: PostingRequest = { posting: random.pick(kinds)() }
      record.push(asked)
      return asked
    },
    noteResult: (asked, result) => {
      asked.result = result
      for (const movement of result === 'applied' ? asked.posting.movements : []) {
        if (!('amount' in movement)) ended.push(movement)
        else if (movement.kind === 'hold')
          open.push({ ...keyOf(movement), event: proofEvent, kind: random.pick(endings) })
        else applied.push(movement)
      }
    },
  }
}

interface Known {
  readonly open: Ending[]
  readonly ended: readonly Ending[]
  readonly applied: readonly Movement[]
}

/** One of these is drawn each time; repetition is the weight. */
function kindsOf(random: Random, accounts: Accounts, { open, ended, applied }: Known): (() => Posting)[] {
  const { treasury, clearing } = accounts
  const wallet = () => random.pick(accounts.wallets)
  const sum = () => BigInt(1 + random.below(50))
  const hold = (amount = sum()): Posting => {
    const payer = wallet()
    return { wallets: [payer], movements: [move('hold', payer, clearing, amount)] }
  }
  const fund = (): Posting => {
    const payee = wallet()
    return { wallets: [payee], movements: [move('transfer', treasury, payee, sum())] }
  }
  const linked = (): Posting => {
    const [payer, payee, amount, transaction_id] = [wallet(), wallet(), sum(), newTransaction()]
    const out = { ...move('transfer', payer, clearing, amount), transaction_id }
    const into = { ...move('transfer', clearing, payee, amount), transaction_id, number: 1 }
    return { wallets: [payer, payee], movements: [out, into] }
  }
  const end = (): Posting => {
    const [ending] = open.splice(random.below(open.length), 1)
    return ending ? { wallets: [], movements: [ending] } : hold()
  }
  const endAgain = (): Posting => (ended.length > 0 ? { wallets: [], movements: [random.pick(ended)] } : fund())
  const endNothing = (): Posting => ({ wallets: [], movements: [{ ...ending('void'), number: 7 }] })
  const overspend = () => hold(1_000_000_000_000n)
  const copy = (): Posting => {
    const original = applied.length > 0 ? random.pick(applied) : undefined
    if (!original) return fund()
    return {
      wallets: [],
      movements: [{ ...original, ...move('transfer', treasury, clearing, 51n), ...keyOf(original) }],
    }
  }
  const common = [hold, fund, linked, end].flatMap((kind) => Array.from({ length: 10 }, () => kind))
  return [...common, () => hold(), () => hold(), endAgain, endNothing, overspend, copy].map((kind) => () => kind())
}

const endings = ['post', 'void'] as const
const newTransaction = () => newTransactionId(Date.now(), 0)
const keyOf = ({ transaction_id, number }: Movement) => ({ transaction_id, number })
const ending = (kind: Ending['kind']): Ending => ({
  kind,
  event: proofEvent,
  transaction_id: newTransaction(),
  number: 0,
})

function move(kind: 'hold' | 'transfer', debit_account: string, credit_account: string, amount: bigint): Movement {
  const key = { transaction_id: newTransaction(), number: 0 }
  return { kind, event: proofEvent, ...key, debit_account, credit_account, amount, currency: 'KES' }
}

/** A result of the ledger as one word. Faults are rethrown. */
export async function resultOf(pending: Promise<Refusal | undefined>): Promise<PostingResult> {
  try {
    return (await pending) ?? 'applied'
  } catch (error) {
    if (error instanceof AppError && error.key === 'OVERLOADED') return 'overloaded'
    if ((error as { code?: string }).code === '23505') return 'duplicate'
    throw error
  }
}
