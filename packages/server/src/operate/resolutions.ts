import type { Transaction } from '../payments/model/store.ts'
import { mayRead } from '../people/principal.ts'
import { sql } from '../platform/db.ts'
import { foresee, type PostingView } from './dry-run.ts'
import { type ManualResolution, type ResolvedPayment, resolvePayment } from './manual-resolution.ts'
import { type OperatorContext, OperatorError, OutcomeUnknown } from './operator-context.ts'
import { noPayment, paymentId } from './payments.ts'

/** What a manual resolution would do now. */
export interface ResolutionView {
  readonly outcome: ManualResolution['outcome']
  readonly isPossible: boolean
  /** Why it is not possible now. */
  readonly refusal?: string
  /** The effect on the money, and what is left to do after it. */
  readonly money?: string
  readonly caution?: string
  /** The state after it: a payout that an abandoned attempt has paid is successful, whatever the person decides. */
  readonly state?: string
  /** The ledger entries that it makes. */
  readonly postings: readonly PostingView[]
}

/** Both outcomes of a payment, each found out by doing it and rolling back: the preview cannot differ from the deed. */
export async function showResolutions(context: OperatorContext, shownId: string): Promise<ResolutionView[]> {
  await requireVisible(context, shownId)
  return [await resolutionOf(context, shownId, 'successful'), await resolutionOf(context, shownId, 'failed')]
}

/** Refuses a payment that the reader may not see as one that does not exist. */
export async function requireVisible({ db, principal }: OperatorContext, shownId: string): Promise<void> {
  const id = paymentId(shownId)
  const [place] = await db.write.query<Pick<Transaction, 'country' | 'currency'>>(sql`
    select country, currency from transactions where id = ${id}`)
  if (!place || !mayRead(principal, 'payments:read', place)) throw noPayment(id)
}

const preview = { reason: 'preview', evidence: 'preview' }

async function resolutionOf(
  context: OperatorContext,
  shownId: string,
  outcome: ManualResolution['outcome'],
): Promise<ResolutionView> {
  try {
    const { result, postings } = await foresee(context, (dry) => resolvePayment(dry, shownId, { ...preview, outcome }))
    const { state, money, caution } = result as ResolvedPayment
    return { outcome, isPossible: true, state, money, ...(caution !== undefined && { caution }), postings }
  } catch (error) {
    if (!(error instanceof OperatorError) || error instanceof OutcomeUnknown) throw error
    return { outcome, isPossible: false, refusal: error.message, postings: [] }
  }
}
