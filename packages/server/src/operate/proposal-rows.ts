import type { Place } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { type Db, type Environment, sql, type Tx } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import type { PostingView } from './dry-run.ts'
import { type OperatorContext, OperatorError } from './operator-context.ts'

export type ProposalState = 'open' | 'expired' | 'executed' | 'rejected' | 'withdrawn' | 'void'

export interface Preview {
  readonly postings: readonly PostingView[]
  readonly change: Readonly<Record<string, unknown>>
  readonly place?: Place
}

/** A row of `proposals`. */
export interface Stored {
  readonly id: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly env: Environment | null
  readonly merchant_id: string | null
  readonly amount: bigint | null
  readonly currency: string | null
  readonly summary: string
  readonly preview: Preview
  readonly ground_hash: Buffer
  readonly reason: string
  readonly maker_kind: string
  readonly maker_id: string
  readonly maker_name: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly state: Exclude<ProposalState, 'expired'>
  readonly decided_by: string | null
  readonly decided_name: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string | null
  readonly subject: string | null
  readonly sealed_secret: string | null
  readonly is_past: boolean
}

/** The decision itself is refused; the proposal stays as it is. */
export class DecisionRefused extends OperatorError {}

export async function lockOpen(tx: Tx, id: string): Promise<Stored> {
  const [found] = await tx.query<Stored>(sql`
    select *, expires_at <= record_time() as is_past from proposals where id = ${id} for no key update`)
  if (!found) throw noProposal(id)
  const state = stateOf(found)
  if (state !== 'open') throw new DecisionRefused(`${showId('proposal', id)} is ${state} already`)
  return found
}

export async function existing(db: Db, id: string): Promise<Stored> {
  const [found] = await db.query<Stored>(sql`
    select *, expires_at <= record_time() as is_past from proposals where id = ${id}`)
  if (!found) throw noProposal(id)
  return found
}

export const noProposal = (id: string) => new OperatorError(`no proposal has the id ${showId('proposal', id)}`)

export function proposalId(shownId: string): string {
  const id = readId('proposal', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a proposal id; they look like prp_0193…`)
  return id
}

export function trail(
  action: string,
  {
    id,
    merchant_id,
    env,
  }: {
    readonly id: string
    readonly merchant_id?: string | null | undefined
    readonly env?: Environment | null | undefined
  },
) {
  return { action, subject: showId('proposal', id), ...(merchant_id && { merchant_id }), ...(env && { env }) }
}

export const stateOf = ({ state, is_past }: Stored): ProposalState => (state === 'open' && is_past ? 'expired' : state)

/** The operation of a proposal, run again by its approver. */
export interface Approved {
  /** What its maker needs, and what its approver needs. */
  readonly permission: OperatorPermission
  readonly approve: OperatorPermission
  act(context: OperatorContext, input: Readonly<Record<string, unknown>>): Promise<unknown>
}

export const placeOf = ({ input, currency, preview: { place } }: Stored): Place => placeIn(input, { currency, place })

/** The country and currency of an action: where it acted in its dry run; then what its input names; then its money. */
export function placeIn(
  input: Readonly<Record<string, unknown>>,
  { currency, place }: { readonly currency?: string | null | undefined; readonly place?: Place | undefined } = {},
): Place {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    country: place?.country ?? text(input['country']),
    currency: place?.currency ?? text(input['currency']) ?? currency ?? undefined,
  }
}
