import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import type { Invited } from '../people/invite.ts'
import { mayOperate, type Place } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { type BatchTx, type Db, type Environment, sql, type Tx } from '../platform/db.ts'
import { newId, readId, showId } from '../platform/ids.ts'
import { holdsNow, sharePasskey } from './approver.ts'
import { type Foreseen, foreseenOf, type PostingView } from './dry-run.ts'
import type { NewPair } from './keys.ts'
import {
  audited,
  type Done,
  type OperatorContext,
  OperatorError,
  type Perform,
  record,
  type Work,
} from './operator-context.ts'

/** What a proposal is about: an operation with its input. */
export interface Proposed {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly summary: string
  readonly reason: string
}

export interface ProposalView {
  readonly proposalId: string
  readonly operation: string
  readonly summary: string
  readonly env?: Environment
  readonly merchantId?: string
  readonly amount?: string
  readonly currency?: string
  /** The ledger entries that its execution makes. */
  readonly postings: readonly PostingView[]
  readonly change: Readonly<Record<string, unknown>>
  readonly reason: string
  readonly proposedBy: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly state: ProposalState
  readonly decidedBy?: string
  readonly decidedAt?: string
  readonly decisionReason?: string
  /** What its execution changed. */
  readonly subject?: string
}

type ProposalState = 'open' | 'expired' | 'executed' | 'rejected' | 'withdrawn' | 'void'

interface Stored {
  readonly id: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly env: Environment | null
  readonly merchant_id: string | null
  readonly amount: bigint | null
  readonly currency: string | null
  readonly summary: string
  readonly preview: { readonly postings: readonly PostingView[]; readonly change: Readonly<Record<string, unknown>> }
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

/** Stores what a person proposes, for another to approve. */
export async function propose(context: OperatorContext, proposed: Proposed, foreseen: Foreseen): Promise<ProposalView> {
  const { operation, input, summary, reason } = proposed
  if (reason.trim() === '') throw new OperatorError('the reason must not be empty: the approver reads it')
  const { principal } = context
  const { entry, money, postings, groundHash } = foreseen
  const preview = { postings, change: entry.detail ?? {} }
  return audited(context, async (tx) => {
    const id = newId(Number(tx.atUs / 1000n), context.cell)
    await tx.query(sql`
      insert into proposals (id, operation, input, env, merchant_id, amount, currency, summary, preview, ground_hash, reason,
        maker_kind, maker_id, maker_name)
      values (${id}, ${operation}, ${JSON.stringify(input)}, ${entry.env ?? null}, ${entry.merchant_id ?? null},
        ${money?.amount ?? null}, ${money?.currency ?? null}, ${summary}, ${JSON.stringify(preview)}, ${groundHash}, ${reason},
        ${principal.kind}, ${principal.id}, ${principal.name})`)
    return {
      result: view(await existing(tx, id)),
      entry: { ...trail('proposal.create', { ...entry, id }), detail: { operation, summary, ...preview }, reason },
    }
  })
}

export async function showProposal(context: OperatorContext, shownId: string): Promise<ProposalView> {
  return view(await existing(context.db.write, proposalId(shownId)))
}

export interface ProposalsWanted {
  /** Only proposals that can still be decided. */
  readonly isOpenOnly: boolean
  readonly limit: number
  readonly before?: string
}

/** Newest first. */
export async function listProposals(context: OperatorContext, wanted: ProposalsWanted): Promise<ProposalView[]> {
  const { isOpenOnly, limit, before } = wanted
  const last = before === undefined ? 'ffffffff-ffff-ffff-ffff-ffffffffffff' : proposalId(before)
  const rows = isOpenOnly
    ? await context.db.write.query<Stored>(sql`
        select *, expires_at <= record_time() as is_past
        from proposals
        where state = 'open' and expires_at > record_time() and id < ${last}
        order by id desc
        limit ${limit}`)
    : await context.db.write.query<Stored>(sql`
        select *, expires_at <= record_time() as is_past from proposals where id < ${last} order by id desc limit ${limit}`)
  return rows.map(view)
}

/** The operation of a proposal, run again by its approver. */
export interface Approved {
  readonly approve: OperatorPermission
  act(context: OperatorContext, input: Readonly<Record<string, unknown>>): Promise<unknown>
}

/**
 * Executes a proposal: the decision, the work and its audit entry are one transaction. If the ground has changed since the
 * proposal was made, or the work is refused now, the proposal is void.
 */
export async function approveProposal(
  context: OperatorContext,
  shownId: string,
  operationOf: (name: string) => Approved,
  reason: string,
): Promise<ProposalView> {
  const id = proposalId(shownId)
  const proposal = await existing(context.db.write, id)
  const { approve, act } = operationOf(proposal.operation)
  refusePrincipal(context, approve)
  const decision = { id, approve, reason }
  try {
    await act({ ...context, perform: performApproved(decision) }, proposal.input)
  } catch (error) {
    if (!(error instanceof OperatorError) || error instanceof DecisionRefused) throw error
    await voidProposal(context, id, error.message)
    throw new OperatorError(`${shownId} is void: ${error.message}. Propose it again`)
  }
  return view(await existing(context.db.write, id))
}

/** The decision itself is refused; the proposal stays as it is. */
class DecisionRefused extends OperatorError {}

interface Decision {
  readonly id: string
  readonly approve: OperatorPermission
  readonly reason: string
}

const performApproved =
  ({ id, approve, reason }: Decision): Perform =>
  <Result>(context: OperatorContext, work: Work<Result>) =>
    context.postings.submit(async (tx) => {
      const proposal = await lockOpen(tx, id)
      await refuseApprover(context, tx, proposal, approve)
      const done = await work(tx)
      const { groundHash } = await foreseenOf(tx, done)
      if (!groundHash.equals(proposal.ground_hash))
        throw new OperatorError('the state it rests on has changed since it was proposed')
      const { principal } = context
      await tx.query(sql`
        update proposals
        set state = 'executed', decided_by = ${principal.id}, decided_name = ${principal.name}, decided_at = record_time(),
          decision_reason = ${reason}, subject = ${done.entry.subject}, sealed_secret = ${sealedSecret(context, id, done)}
        where id = ${id}`)
      const detail = { ...done.entry.detail, proposal: showId('proposal', id), proposedBy: proposal.maker_id }
      await record(tx, context, { ...done.entry, detail })
      return { results: [done.result], ...done.written }
    }) as Promise<Result>

/** A secret is for the maker, who collects it once; the approver does not see it. */
function sealedSecret({ vault }: OperatorContext, id: string, { result }: Done<unknown>): string | null {
  const hasSecret = typeof result === 'object' && result !== null && secretFields.some((field) => field in result)
  return hasSecret ? vault.seal(JSON.stringify(result), secretContext(id)) : null
}

/** A new API key, and the link of an invitation. */
const secretFields = ['apiKey', 'link']

const secretContext = (id: string) => `proposals.sealed_secret ${id}`

/** The rights count at the moment of execution: they are read in its transaction. */
async function refuseApprover(
  context: OperatorContext,
  tx: BatchTx,
  proposal: Stored,
  approve: OperatorPermission,
): Promise<void> {
  const { principal } = context
  if (principal.id === proposal.maker_id) throw new DecisionRefused('you proposed this: another person must approve it')
  if (!(await holdsNow(tx, principal.id, approve, placeOf(proposal.input, proposal.currency))))
    throw new DecisionRefused(`you no longer have the permission ${approve}`)
  if (await sharePasskey(tx, principal.id, proposal.maker_id))
    throw new DecisionRefused(
      'you and the person who proposed this have the same passkey: another person must approve it',
    )
}

/** The country and currency of an input; money at stake names its currency where the input does not. */
export function placeOf(input: Readonly<Record<string, unknown>>, currency?: string | null): Place {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { country: text(input['country']), currency: text(input['currency']) ?? currency ?? undefined }
}

/** Machines propose, and only people approve. */
function refusePrincipal({ principal }: OperatorContext, approve: OperatorPermission): void {
  if (principal.kind !== 'person') throw new DecisionRefused('only a person can approve a proposal')
  if (!mayOperate(principal, approve)) throw new DecisionRefused(`approving this needs the permission ${approve}`)
}

export function rejectProposal(
  context: OperatorContext,
  shownId: string,
  operationOf: (name: string) => Approved,
  reason: string,
): Promise<ProposalView> {
  return close(context, shownId, 'rejected', reason, (proposal) => {
    refusePrincipal(context, operationOf(proposal.operation).approve)
    if (context.principal.id === proposal.maker_id) throw new DecisionRefused('you proposed this: withdraw it instead')
  })
}

export function withdrawProposal(context: OperatorContext, shownId: string, reason: string): Promise<ProposalView> {
  return close(context, shownId, 'withdrawn', reason, (proposal) => {
    if (context.principal.id !== proposal.maker_id)
      throw new DecisionRefused('only the person who proposed this can withdraw it')
  })
}

function close(
  context: OperatorContext,
  shownId: string,
  state: 'rejected' | 'withdrawn',
  reason: string,
  refuse: (proposal: Stored) => void,
): Promise<ProposalView> {
  const id = proposalId(shownId)
  return audited(context, async (tx) => {
    const proposal = await lockOpen(tx, id)
    refuse(proposal)
    await end(tx, context, id, state, reason)
    return { result: view(await existing(tx, id)), entry: { ...trail(`proposal.${state}`, proposal), reason } }
  })
}

/** Does nothing if another decision was faster. */
async function voidProposal(context: OperatorContext, id: string, reason: string): Promise<void> {
  await audited(context, async (tx) => {
    const proposal = await lockOpen(tx, id)
    await end(tx, context, id, 'void', reason)
    return { result: undefined, entry: { ...trail('proposal.void', proposal), reason } }
  }).catch((error: unknown) => {
    if (!(error instanceof DecisionRefused)) throw error
  })
}

function end(tx: Tx, { principal }: OperatorContext, id: string, state: string, reason: string): Promise<unknown> {
  return tx.query(sql`
    update proposals
    set state = ${state}, decided_by = ${principal.id}, decided_name = ${principal.name}, decided_at = record_time(),
      decision_reason = ${reason}
    where id = ${id}`)
}

/** The secret result of an executed proposal, for its maker, once. */
export function collectSecret(context: OperatorContext, shownId: string): Promise<NewPair | Invited> {
  const id = proposalId(shownId)
  return audited(context, async (tx) => {
    const [proposal] = await tx.query<Stored>(
      sql`select *, false as is_past from proposals where id = ${id} for update`,
    )
    if (!proposal) throw noProposal(id)
    if (proposal.maker_id !== context.principal.id)
      throw new OperatorError('only the person who proposed this can collect its key')
    if (proposal.sealed_secret === null) throw new OperatorError(`${shownId} has no key to collect`)
    await tx.query(sql`update proposals set sealed_secret = null where id = ${id}`)
    const secret = JSON.parse(context.vault.open(proposal.sealed_secret, secretContext(id))) as NewPair | Invited
    return { result: secret, entry: trail('proposal.collect', proposal) }
  })
}

async function lockOpen(tx: Tx, id: string): Promise<Stored> {
  const [found] = await tx.query<Stored>(sql`
    select *, expires_at <= record_time() as is_past from proposals where id = ${id} for no key update`)
  if (!found) throw noProposal(id)
  const state = stateOf(found)
  if (state !== 'open') throw new DecisionRefused(`${showId('proposal', id)} is ${state} already`)
  return found
}

async function existing(db: Db, id: string): Promise<Stored> {
  const [found] = await db.query<Stored>(sql`
    select *, expires_at <= record_time() as is_past from proposals where id = ${id}`)
  if (!found) throw noProposal(id)
  return found
}

const noProposal = (id: string) => new OperatorError(`no proposal has the id ${showId('proposal', id)}`)

function proposalId(shownId: string): string {
  const id = readId('proposal', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a proposal id; they look like prp_0193…`)
  return id
}

function trail(
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

const stateOf = ({ state, is_past }: Stored): ProposalState => (state === 'open' && is_past ? 'expired' : state)

function view(stored: Stored): ProposalView {
  const { id, operation, summary, env, merchant_id, amount, currency, preview, reason, subject } = stored
  const { decided_name, decided_at, decision_reason } = stored
  return {
    proposalId: showId('proposal', id),
    operation,
    summary,
    ...(env && { env }),
    ...(merchant_id && { merchantId: showId('merchant', merchant_id) }),
    ...(amount !== null && currency && { amount: shown(amount, currency), currency }),
    ...preview,
    reason,
    proposedBy: stored.maker_name,
    createdAt: stored.created_at.toISOString(),
    expiresAt: stored.expires_at.toISOString(),
    state: stateOf(stored),
    ...(decided_name && { decidedBy: decided_name }),
    ...(decided_at && { decidedAt: decided_at.toISOString() }),
    ...(decision_reason && { decisionReason: decision_reason }),
    ...(subject && { subject }),
  }
}

const shown = (amount: bigint, currency: string) =>
  isCurrency(currency) ? formatMinor(amount, currency) : String(amount)
