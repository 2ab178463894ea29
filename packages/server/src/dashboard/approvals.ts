import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { Reason } from '../operate/api/schema.ts'
import { decidedPayouts, waitingPayouts } from '../payments/controls/approvals.ts'
import { approvePayout, type PayoutDecision, rejectPayout } from '../payouts/approve.ts'
import { presentTransaction } from '../transactions/present.ts'
import { Transaction } from '../transactions/transaction-schema.ts'
import { closed, Done, dataOf, done } from './schema.ts'

const Maker = {
  madeBy: Type.String({ description: 'The person or key pair that created it, who cannot approve it' }),
  madeByName: Type.Optional(Type.String({ description: 'Of a person' })),
}

const Waiting = Type.Object(
  {
    ...Transaction.properties,
    externalReference: Type.String(),
    ...Maker,
    reasons: Type.Array(Type.String(), {
      description: 'Why it needs approval: above_amount, new_beneficiary, bulk',
    }),
    expiresAt: Type.String({ description: 'Rejected then, if no person decides before' }),
  },
  { title: 'WaitingPayout' },
)

const Decided = Type.Object(
  {
    ...Transaction.properties,
    externalReference: Type.String(),
    ...Maker,
    decision: Type.String({ description: 'approved or rejected' }),
    decidedBy: Type.String({ description: 'Id of the person' }),
    decidedByName: Type.String(),
    decidedAt: Type.String(),
    reason: Type.String(),
  },
  { title: 'DecidedPayout' },
)

const tags = ['Approvals']
const errors = ['TRANSACTION_MISSING', 'PAYOUT_NOT_AWAITING_APPROVAL'] as const
const pageMax = 100
const decidedMax = 20

/** Payouts that need a person's approval. */
export function approvalRoutes(app: App, ctx: Context): void {
  waitingRoute(app, ctx)
  decidedRoute(app, ctx)

  for (const [verb, decide] of [
    ['approve', approvePayout],
    ['reject', rejectPayout],
  ] as const)
    app.post(
      `/approvals/:transactionId/${verb}`,
      {
        config: { errors: [...errors, ...(verb === 'approve' ? (['APPROVAL_NOT_ALLOWED'] as const) : [])] },
        schema: {
          summary: verb === 'approve' ? 'Approve a payout' : 'Reject a payout',
          description:
            verb === 'approve'
              ? 'It is sent. The person who created it cannot, nor another identity of that person with the same passkey.'
              : 'It fails, and its money is back in the wallet.',
          tags,
          params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
          body: Type.Object({ reason: Reason }, closed),
          response: { 200: Done },
        },
      },
      async (request) => {
        const bearer = bearerOf(request)
        const { id, name } = bearer.actor
        const order: PayoutDecision = {
          transactionId: request.params.transactionId,
          approver: { id, name },
          origin: bearer.origin,
          reason: request.body.reason,
        }
        await decide(ctx, bearer, order)
        return done
      },
    )
}

function waitingRoute(app: App, ctx: Context): void {
  app.get(
    '/approvals',
    {
      config: {},
      schema: {
        summary: 'List payouts that wait for approval',
        description: 'Those that expire first come first, at most 100.',
        tags,
        response: { 200: dataOf(Type.Array(Waiting)) },
      },
    },
    async (request) => {
      const rows = await waitingPayouts(ctx.db.read, bearerOf(request), pageMax)
      const data = rows.map((row) => ({
        ...presentTransaction(ctx, row),
        ...makerOf(row),
        reasons: [...row.approval_reasons],
        expiresAt: row.approval_expires_at.toISOString(),
      }))
      return { success: true as const, data }
    },
  )
}

function decidedRoute(app: App, ctx: Context): void {
  app.get(
    '/approvals/decided',
    {
      config: {},
      schema: {
        summary: 'List payouts that people decided lately',
        description: 'The last decision first, at most 20.',
        tags,
        response: { 200: dataOf(Type.Array(Decided)) },
      },
    },
    async (request) => {
      const rows = await decidedPayouts(ctx.db.read, bearerOf(request), decidedMax)
      const data = rows.map((row) => ({
        ...presentTransaction(ctx, row),
        ...makerOf(row),
        decision: row.decision,
        decidedBy: row.decided_by,
        decidedByName: row.decided_by_name,
        decidedAt: row.decided_at.toISOString(),
        reason: row.decision_reason,
      }))
      return { success: true as const, data }
    },
  )
}

interface Made {
  readonly external_reference: string
  readonly made_by: string
  readonly made_by_name: string | null
}

const makerOf = ({ external_reference, made_by, made_by_name }: Made) => ({
  externalReference: external_reference,
  madeBy: made_by,
  ...(made_by_name !== null && { madeByName: made_by_name }),
})
