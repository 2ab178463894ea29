import { isCurrency } from '../money/currencies.ts'
import { formatMinor } from '../money/money.ts'
import { mayOperate, mayRead } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { sharePasskey } from '../people/same-person.ts'
import { type BatchTx, type Environment, sql, type Tx } from '../platform/db.ts'
import { newId, showId } from '../platform/ids.ts'
import { holdsMachine, holdsNow, mayStillPropose } from './approver.ts'
import { type Foreseen, foreseenOf, type PostingView } from './dry-run.ts'
import {
  audited,
  type OperatorContext,
  OperatorError,
  OutcomeUnknown,
  type Perform,
  readScope,
  record,
  type Work,
} from './operator-context.ts'
import { shownFields } from './personal-numbers.ts'

import {
  type Approved,
  DecisionRefused,
  existing,
  lockOpen,
  noProposal,
  type Preview,
  type ProposalState,
  placeOf,
  proposalId,
  type Stored,
  stateOf,
  trail,
} from './proposal-rows.ts'
import { sealedSecrets } from './proposal-secrets.ts'

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
  /** Names of people are not unique. */
  readonly proposedById: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly state: ProposalState
  readonly decidedBy?: string
  readonly decidedById?: string
  readonly decidedAt?: string
  readonly decisionReason?: string
  /** What its execution changed. */
  readonly subject?: string
  /** A key, link or code waits for its maker or its approver. */
  readonly hasSecret?: true
}

/** Stores what a person proposes, for another to approve. */
export async function propose(context: OperatorContext, proposed: Proposed, foreseen: Foreseen): Promise<ProposalView> {
  const { operation, input, summary, reason } = proposed
  if (reason.trim() === '') throw new OperatorError('the reason must not be empty: the approver reads it')
  const { principal } = context
  const { entry, money, place, postings, groundHash } = foreseen
  const shown = { postings, change: entry.detail ?? {} }
  const preview: Preview = { ...shown, ...(place && { place }) }
  return audited(context, async (tx) => {
    const id = newId(Number(tx.atUs / 1000n), context.cell)
    await tx.query(sql`
      insert into proposals (id, operation, input, env, merchant_id, amount, currency, summary, preview, ground_hash, reason,
        maker_kind, maker_id, maker_name)
      values (${id}, ${operation}, ${JSON.stringify(input)}, ${entry.env ?? null}, ${entry.merchant_id ?? null},
        ${money?.amount ?? null}, ${money?.currency ?? null}, ${summary}, ${JSON.stringify(preview)}, ${groundHash}, ${reason},
        ${principal.kind}, ${principal.id}, ${principal.name})`)
    return {
      result: view(context, await existing(tx, id)),
      entry: { ...trail('proposal.create', { ...entry, id }), detail: { operation, summary, ...shown }, reason },
    }
  })
}

export async function showProposal(context: OperatorContext, shownId: string): Promise<ProposalView> {
  const found = await existing(context.db.write, proposalId(shownId))
  if (!mayRead(context.principal, 'merchants:read', placeOf(found))) throw noProposal(found.id)
  return view(context, found)
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
  const scope = readScope(context, 'merchants:read')
  const rows = isOpenOnly
    ? await context.db.write.query<Stored>(sql`
        select *, expires_at <= record_time() as is_past
        from proposals
        where state = 'open' and expires_at > record_time() and id < ${last}
          and is_in_scope(${scope}::jsonb, coalesce(preview->'place'->>'country', input->>'country'),
            coalesce(preview->'place'->>'currency', input->>'currency', currency))
        order by id desc
        limit ${limit}`)
    : await context.db.write.query<Stored>(sql`
        select *, expires_at <= record_time() as is_past
        from proposals
        where id < ${last}
          and is_in_scope(${scope}::jsonb, coalesce(preview->'place'->>'country', input->>'country'),
            coalesce(preview->'place'->>'currency', input->>'currency', currency))
        order by id desc
        limit ${limit}`)
  return rows.map((row) => view(context, row))
}

/** Open proposals whose input names one of these payments, keys or cases, newest first. */
export async function proposalsAbout(context: OperatorContext, names: readonly string[]): Promise<ProposalView[]> {
  if (!mayOperate(context.principal, 'merchants:read')) return []
  const rows = await context.db.write.query<Stored>(sql`
    select *, false as is_past
    from proposals
    where state = 'open'
      and expires_at > record_time()
      and (input->>'payment' = any(${names}::text[]) or input->>'caseId' = any(${names}::text[]))
    order by id desc`)
  return rows
    .filter((row) => mayRead(context.principal, 'merchants:read', placeOf(row)))
    .map((row) => view(context, row))
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
  const { permission, approve, act } = operationOf(proposal.operation)
  refusePrincipal(context, approve)
  const decision = { id, permission, approve, reason }
  try {
    await act({ ...context, perform: performApproved(decision) }, proposal.input)
  } catch (error) {
    const isRefusal = error instanceof DecisionRefused || error instanceof OutcomeUnknown
    if (!(error instanceof OperatorError) || isRefusal) throw error
    if (await voidProposal(context, id, error.message))
      throw new OperatorError(`${shownId} is void: ${error.message}. Propose it again`)
  }
  return view(context, await existing(context.db.write, id))
}

interface Decision {
  readonly id: string
  readonly permission: OperatorPermission
  readonly approve: OperatorPermission
  readonly reason: string
}

const performApproved =
  ({ id, permission, approve, reason }: Decision): Perform =>
  <Result>(context: OperatorContext, work: Work<Result>) =>
    context.postings.submit(async (tx) => {
      const proposal = await lockOpen(tx, id)
      await refuseApprover(context, tx, proposal, approve)
      if (!(await mayStillPropose(tx, proposal.maker_id, permission, placeOf(proposal))))
        throw new OperatorError(`${proposal.maker_name}, who proposed it, no longer has the permission ${permission}`)
      const done = await work(tx)
      const { groundHash } = await foreseenOf(tx, done)
      if (!groundHash.equals(proposal.ground_hash))
        throw new OperatorError('the state it rests on has changed since it was proposed')
      const { principal } = context
      await tx.query(sql`
        update proposals
        set state = 'executed', decided_by = ${principal.id}, decided_name = ${principal.name}, decided_at = record_time(),
          decision_reason = ${reason}, subject = ${done.entry.subject},
          sealed_secret = ${await sealedSecrets(context, tx, id, done)}
        where id = ${id}`)
      const trace = { proposal: showId('proposal', id), proposedBy: proposal.maker_id, decisionReason: reason }
      const detail = { ...done.entry.detail, ...trace }
      await record(tx, context, { ...done.entry, detail })
      await record(tx, context, {
        ...trail('proposal.executed', proposal),
        detail: { subject: done.entry.subject },
        reason,
      })
      return { results: [done.result], ...done.written }
    }) as Promise<Result>

/** The rights count at the moment of execution: they are read in its transaction. */
async function refuseApprover(
  context: OperatorContext,
  tx: BatchTx,
  proposal: Stored,
  approve: OperatorPermission,
): Promise<void> {
  const { principal } = context
  if (principal.id === proposal.maker_id) throw new DecisionRefused('you proposed this: another person must approve it')
  if (!(await holdsNow(tx, principal.id, approve, placeOf(proposal))))
    throw new DecisionRefused(`you do not have the permission ${approve} for this country and currency`)
  if (await holdsMachine(tx, principal.id, proposal.maker_id))
    throw new DecisionRefused('you may have the key of the machine that proposed this: another person must approve it')
  if (await sharePasskey(tx, principal.id, proposal.maker_id))
    throw new DecisionRefused(
      'you and the person who proposed this have the same passkey: another person must approve it',
    )
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
  return close(context, shownId, 'rejected', reason, async (proposal, tx) => {
    const { approve } = operationOf(proposal.operation)
    refusePrincipal(context, approve)
    if (context.principal.id === proposal.maker_id) throw new DecisionRefused('you proposed this: withdraw it instead')
    if (!(await holdsNow(tx, context.principal.id, approve, placeOf(proposal))))
      throw new DecisionRefused(`you do not have the permission ${approve} for this country and currency`)
  })
}

export function withdrawProposal(context: OperatorContext, shownId: string, reason: string): Promise<ProposalView> {
  return close(context, shownId, 'withdrawn', reason, async (proposal) => {
    if (context.principal.id !== proposal.maker_id)
      throw new DecisionRefused('only the person who proposed this can withdraw it')
  })
}

function close(
  context: OperatorContext,
  shownId: string,
  state: 'rejected' | 'withdrawn',
  reason: string,
  refuse: (proposal: Stored, tx: Tx) => Promise<void>,
): Promise<ProposalView> {
  const id = proposalId(shownId)
  return audited(context, async (tx) => {
    const proposal = await lockOpen(tx, id)
    await refuse(proposal, tx)
    await end(tx, context, id, state, reason)
    return { result: view(context, await existing(tx, id)), entry: { ...trail(`proposal.${state}`, proposal), reason } }
  })
}

/** False if another decision was faster. */
function voidProposal(context: OperatorContext, id: string, reason: string): Promise<boolean> {
  return audited(context, async (tx) => {
    const proposal = await lockOpen(tx, id)
    await end(tx, context, id, 'void', reason)
    return { result: true, entry: { ...trail('proposal.void', proposal), reason } }
  }).catch((error: unknown) => {
    if (error instanceof DecisionRefused) return false
    throw error
  })
}

function end(tx: Tx, { principal }: OperatorContext, id: string, state: string, reason: string): Promise<unknown> {
  return tx.query(sql`
    update proposals
    set state = ${state}, decided_by = ${principal.id}, decided_name = ${principal.name}, decided_at = record_time(),
      decision_reason = ${reason}
    where id = ${id}`)
}

function view(context: OperatorContext, stored: Stored): ProposalView {
  const { id, operation, summary, env, merchant_id, amount, currency, preview, reason, subject } = stored
  const { decided_name, decided_at, decision_reason } = stored
  return {
    proposalId: showId('proposal', id),
    operation,
    summary,
    ...(env && { env }),
    ...(merchant_id && { merchantId: showId('merchant', merchant_id) }),
    ...(amount !== null && currency && { amount: shown(amount, currency), currency }),
    postings: preview.postings,
    change: shownFields(context, preview.change),
    reason,
    proposedBy: stored.maker_name,
    proposedById: stored.maker_id,
    createdAt: stored.created_at.toISOString(),
    expiresAt: stored.expires_at.toISOString(),
    state: stateOf(stored),
    ...(decided_name && { decidedBy: decided_name }),
    ...(stored.decided_by && { decidedById: stored.decided_by }),
    ...(decided_at && { decidedAt: decided_at.toISOString() }),
    ...(decision_reason && { decisionReason: decision_reason }),
    ...(subject && { subject }),
    ...(stored.sealed_secret !== null && { hasSecret: true as const }),
  }
}

const shown = (amount: bigint, currency: string) =>
  isCurrency(currency) ? formatMinor(amount, currency) : String(amount)
