import { type ClearedCase, type Clearing, clearCase } from './clear-suspense.ts'
import { foresee, type PostingView } from './dry-run.ts'
import { type OperatorContext, OperatorError, OutcomeUnknown } from './operator-context.ts'
import { requireVisible } from './resolutions.ts'
import { showCase } from './suspense.ts'

/** What a way to clear a case would do now. */
export interface ClearingView {
  readonly kind: Clearing['kind']
  readonly isPossible: boolean
  /** Why it is not possible now. */
  readonly refusal?: string
  readonly outcome?: string
  /** The ledger entries that it makes. */
  readonly postings: readonly PostingView[]
}

export const clearingKinds = ['credit-merchant', 'debit-merchant', 'return-to-payer', 'write-off'] as const

/** Every way to clear a case, each found out by doing it and rolling back: the preview cannot differ from the deed. */
export async function showClearings(
  context: OperatorContext,
  caseId: string,
  wanted: Pick<Clearing, 'payment'> = {},
): Promise<ClearingView[]> {
  await showCase(context, caseId)
  const views: ClearingView[] = []
  for (const kind of clearingKinds) views.push(await clearingOf(context, caseId, { ...wanted, kind }))
  return views
}

async function clearingOf(
  context: OperatorContext,
  caseId: string,
  wanted: Pick<Clearing, 'kind' | 'payment'>,
): Promise<ClearingView> {
  const { kind, payment } = wanted
  const clearing = { ...wanted, reason: 'preview', evidence: 'preview' }
  try {
    // The entries show the wallet of the payment.
    if (payment !== undefined) await requireVisible(context, payment)
    const { result, postings } = await foresee(context, (dry) => clearCase(dry, caseId, clearing))
    return { kind, isPossible: true, outcome: (result as ClearedCase).outcome, postings }
  } catch (error) {
    if (!(error instanceof OperatorError) || error instanceof OutcomeUnknown) throw error
    return { kind, isPossible: false, refusal: error.message, postings: [] }
  }
}
