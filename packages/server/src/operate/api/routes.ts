import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { recordRefusal } from '../../audit/record.ts'
import { originOf } from '../../auth/request-origin.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { createWriter } from '../../ledger/chain.ts'
import { observePayments } from '../../payments/model/payment-metrics.ts'
import { permissionDenied } from '../../people/grants.ts'
import { actorOf, mayOperateOn, type Place } from '../../people/principal.ts'
import { principalOf } from '../../people/request-principal.ts'
import { actAlone } from '../act-alone.ts'
import { bindOperator } from '../bind-operator.ts'
import { foresee } from '../dry-run.ts'
import {
  createPostings,
  noConnectors,
  type OperatorContext,
  OperatorError,
  performAtOnce,
} from '../operator-context.ts'
import { placeIn } from '../proposal-rows.ts'
import { propose } from '../proposals.ts'
import { createRecentOutcomes } from '../recent-outcomes.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { ProposalView } from './schema.ts'

export const operatorRoot = '/operator/v1'

/** The operator API: every operation is a route that asks for its permission. */
export function operatorRoutes(app: App, ctx: Context): void {
  const base = operatorBase(ctx)
  for (const operation of operations) {
    const { method, path, permission, isSteppedUp, control, summary, output, name } = operation
    const response = { 200: data(output), ...(control && { 202: data(ProposalView) }) }
    app.route({
      method,
      url: `${operatorRoot}${path}`,
      config: { operator: permission, ...(isSteppedUp && { isSteppedUp }), errors: ['OPERATION_REFUSED'] },
      schema: { summary, tags: [tagOf(name)], ...partsOf(operation), response },
      handler: (request, reply) => handle({ ...base, ...senderOf(request) }, operation, request, reply),
    })
  }
}

const data = (schema: TSchema) => Type.Object({ success: Type.Literal(true), data: schema })
const tagOf = (name: string) => name.slice(0, name.indexOf('.'))

/** What every request shares. */
export function operatorBase(ctx: Context): Omit<OperatorContext, 'principal' | 'origin'> {
  const { db, wakeups, vault, accounts, log, config } = ctx
  return {
    db,
    wakeups,
    vault,
    cell: config.cell,
    publicUrl: config.publicUrl,
    callbackDays: config.callbackDays,
    platformAccounts: accounts,
    writer: createWriter(),
    postings: createPostings(db.write),
    recent: createRecentOutcomes(db.write),
    perform: performAtOnce,
    resolving: {
      cell: config.cell,
      onMerchantEvents: () => wakeups.wake('webhooks'),
      log,
      accounts,
      connectors: noConnectors,
      routing: { providersOf: () => [], isUsable: () => false },
      payments: observePayments(ctx.metrics, 'operate').payments,
    },
  }
}

function senderOf(request: FastifyRequest): Pick<OperatorContext, 'principal' | 'origin'> {
  const principal = principalOf(request)
  const roles = principal.operatorGrants.map((grant) => grant.role).join(', ')
  const role = roles && `operator ${roles}`
  return { principal, origin: { ...originOf(request), role, strength: principal.strength } }
}

async function handle(context: OperatorContext, operation: Operation, request: FastifyRequest, reply: FastifyReply) {
  const { method, query, body, params } = request
  const input: Record<string, unknown> = { ...asFields(method === 'GET' ? query : body), ...asFields(params) }
  try {
    const { status, result } = await runOrPropose(context, operation, input)
    return await reply.code(status).send({ success: true, data: result })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    if (isChange(operation)) await recordRefused(context, operation, input, error)
    throw operationRefused(error)
  }
}

function recordRefused(
  { principal, origin, cell, db }: OperatorContext,
  { name, path }: Operation,
  input: Readonly<Record<string, unknown>>,
  { message }: OperatorError,
): Promise<void> {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, field = '']) => String(input[field]))
  return recordRefusal(db.write, cell, {
    actor: actorOf(principal),
    action: name,
    subject: named.join(' ') || name,
    detail: { message },
    reason: typeof input['reason'] === 'string' ? input['reason'] : undefined,
    origin,
  })
}

const isChange = ({ method, isRead }: Operation) => method !== 'GET' && !isRead

const asFields = (value: unknown) => (typeof value === 'object' && value !== null ? value : {})

/** What cannot be done, as the API reports it. */
export const operationRefused = ({ message }: OperatorError) =>
  new AppError('OPERATION_REFUSED', { message: asSentence(message) })

/** An id at the start stays as it is. */
const asSentence = (message: string) =>
  `${message.replace(/^[a-z](?=[a-z]*[ ,:])/, (letter) => letter.toUpperCase())}${/[.!?…]$/.test(message) ? '' : '.'}`

/** Runs an operation. Where two people are needed, it becomes a proposal, with what a dry run of it did. */
async function runOrPropose(context: OperatorContext, operation: Operation, input: Readonly<Record<string, unknown>>) {
  const { name, control, run } = operation
  const act = (acting: OperatorContext) => run(bindOperator(acting), input as never, acting)
  if (!control || control.isNeeded?.(input as never) === false) {
    if (isChange(operation) && !operation.isScopedByProposal) requireInScope(context, operation, placeIn(input))
    return { status: 200, result: await act(context) }
  }
  const foreseen = await foresee(context, act)
  const { entry, money, place } = foreseen
  requireInScope(context, operation, placeIn(input, { currency: money?.currency, place }))
  if (entry.env === 'sandbox') return { status: 200, result: await act(context) }
  const alone = await actAlone(context, act, money)
  if (alone) return { status: 200, result: alone.result }
  const reason = String(input['reason'] ?? '')
  const proposed = { operation: name, input, summary: control.describe(input as never), reason }
  return { status: 202, result: await propose(context, proposed, foreseen) }
}

/** A role that is limited to countries or currencies acts only there. */
function requireInScope({ principal }: OperatorContext, { permission }: Operation, place: Place): void {
  if (!mayOperateOn(principal, permission, place)) throw permissionDenied(permission)
}

/** The parts of a request that carry the input: the path, and the query of a GET or the body of a change, which takes no query. */
function partsOf({ method, path, input }: Operation): { params?: TObject; querystring?: TObject; body?: TObject } {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const all = Object.keys(input.properties)
  const rest = all.filter((name) => !inPath.includes(name))
  const pick = (names: string[]) => Type.Object(Type.Pick(input, names).properties, { additionalProperties: false })
  return {
    ...(inPath.length > 0 && { params: pick(inPath) }),
    ...(method !== 'GET' && { querystring: pick([]) }),
    ...(rest.length > 0 && { [method === 'GET' ? 'querystring' : 'body']: pick(rest) }),
  }
}
