import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { recordAudit } from '../audit/record.ts'
import { auditOf } from '../auth/bearer.ts'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { Invited } from '../operate/api/people-schema.ts'
import { oneOf, Reason } from '../operate/api/schema.ts'
import { findControls } from '../payments/controls/rules.ts'
import { inviteMerchantPerson, requireCode, revokeInvitation } from '../people/invite.ts'
import { type PeopleContext, peopleContext } from '../people/people-context.ts'
import { principalOf } from '../people/request-principal.ts'
import { type MerchantRole, merchantRoles } from '../people/roles.ts'
import { endTeamRole, listInvitations, listTeam, refuseInviter, refuseOtherInvitation } from '../people/team.ts'
import type { Owner, Tx } from '../platform/db.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import { closed, Done, dataOf, done, Texts } from './schema.ts'

const roleNames = Object.keys(merchantRoles) as MerchantRole[]
const Role = oneOf(roleNames)
const Granted = { role: Type.String(), countries: Type.Array(Type.String()), currencies: Type.Array(Type.String()) }

const Team = Type.Object(
  {
    people: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        email: Type.String(),
        roles: Type.Array(Type.Object({ id: Type.String(), ...Granted, grantedBy: Type.String() })),
      }),
    ),
    invitations: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        email: Type.String(),
        ...Granted,
        invitedBy: Type.String(),
        expiresAt: Type.String(),
      }),
    ),
  },
  { title: 'Team' },
)

const Invitation = Type.Object(
  {
    email: Type.String({ maxLength: 254 }),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    role: Role,
    countries: Type.Optional({ ...Texts, description: 'Limits the role to these; all if omitted' }),
    currencies: Type.Optional({ ...Texts, description: 'Limits the role to these; all if omitted' }),
    isForOidc: Type.Optional(Type.Boolean({ description: "The person signs in at the operator's OIDC provider" })),
  },
  closed,
)

const NewInvitation = Type.Object(
  {
    ...Invited.properties,
    needsConfirmation: Type.Boolean({ description: 'Joining needs a code too: another person makes it' }),
  },
  { title: 'NewInvitation' },
)

const tags = ['People']

/** The people of the merchant. Their roles count in both environments, so both show the same. */
export function teamRoutes(app: App, ctx: Context): void {
  app.get(
    '/people',
    { config: {}, schema: { summary: 'List people and invitations', tags, response: { 200: dataOf(Team) } } },
    async (request) => {
      const owner = bearerOf(request)
      const [people, invitations] = await Promise.all([
        listTeam(ctx.db.read, owner),
        listInvitations(ctx.db.write, owner),
      ])
      return { success: true as const, data: { people, invitations } } as never
    },
  )
  invitationRoutes(app, ctx)

  app.post(
    '/people/roles/:roleId/end',
    {
      config: { errors: ['ROLE_MISSING', 'LAST_OWNER'] },
      schema: {
        summary: 'End a role',
        description: "The person's sessions end. One owner without limits always stays.",
        tags,
        params: Type.Object({ roleId: Type.String({ maxLength: 100 }) }),
        body: Type.Object({ reason: Reason }, closed),
        response: { 200: Done },
      },
    },
    async (request) => {
      const { merchant_id } = bearerOf(request)
      const order = { merchant_id, membership: request.params.roleId, reason: request.body.reason }
      await inMerchant(ctx, merchant_id, (tx) => endTeamRole(tx, contextOf(ctx, request), principalOf(request), order))
      return done
    },
  )
}

function invitationRoutes(app: App, ctx: Context): void {
  app.post(
    '/people/invitations',
    {
      config: {},
      schema: {
        summary: 'Invite a person',
        description:
          'Only with permissions that you hold yourself. The link is shown this once and works for 72 hours. Where payouts need approval, a person who is to create or approve them also needs a code, which another person of the team makes.',
        tags,
        body: Invitation,
        response: { 200: dataOf(NewInvitation) },
      },
    },
    async (request) => {
      const { merchant_id } = bearerOf(request)
      const order = { ...request.body, merchant_id }
      const data = await inMerchant(ctx, merchant_id, async (tx) => {
        const invited = await inviteMerchantPerson(tx, contextOf(ctx, request), principalOf(request), order)
        const needsConfirmation = order.isForOidc !== true && (await needsSecondPerson(tx, order))
        if (needsConfirmation) await requireCode(tx, ctx.vault, invited.id)
        return { ...invited, needsConfirmation }
      })
      return { success: true as const, data }
    },
  )

  codeRoute(app, ctx)

  app.post(
    '/people/invitations/:invitationId/revoke',
    {
      config: { errors: ['INVITATION_INVALID'] },
      schema: {
        summary: 'Withdraw an invitation',
        tags,
        params: Type.Object({ invitationId: Type.String({ maxLength: 100 }) }),
        response: { 200: Done },
      },
    },
    async (request) => {
      const { invitationId } = request.params
      const owner = bearerOf(request)
      await inMerchant(ctx, owner.merchant_id, async (tx) => {
        await refuseOtherInvitation(tx, owner, invitationId)
        await revokeInvitation(tx, contextOf(ctx, request), principalOf(request), invitationId)
      })
      return done
    },
  )
}

/** With link and code in different hands, no person joins in another's name to approve its own payouts. */
function codeRoute(app: App, ctx: Context): void {
  app.post(
    '/people/invitations/:invitationId/code',
    {
      config: { errors: ['INVITATION_INVALID', 'APPROVAL_NOT_ALLOWED'] },
      schema: {
        summary: 'Make the code of an invitation',
        description:
          'Not for the person who made the invitation. The code is shown this once; a new one ends the one before.',
        tags,
        params: Type.Object({ invitationId: Type.String({ maxLength: 100 }) }),
        response: { 200: dataOf(Type.Object({ code: Type.String() })) },
      },
    },
    async (request) => {
      const { invitationId } = request.params
      const owner = bearerOf(request)
      const code = await inMerchant(ctx, owner.merchant_id, async (tx) => {
        await refuseOtherInvitation(tx, owner, invitationId)
        await refuseInviter(tx, invitationId, principalOf(request).id)
        const made = await requireCode(tx, ctx.vault, invitationId)
        if (made === undefined) throw new AppError('INVITATION_INVALID')
        await recordAudit(tx, ctx.config.cell, { ...auditOf(owner, 'person.invitation_code'), subject: invitationId })
        return made
      })
      return { success: true as const, data: { code } }
    },
  )
}

/** Roles that create or approve payouts, where payouts need approval. */
async function needsSecondPerson(
  tx: Tx,
  { merchant_id, role }: { readonly merchant_id: string; readonly role: MerchantRole },
): Promise<boolean> {
  const permissions: readonly string[] = merchantRoles[role].permissions
  if (!permissions.includes('payouts:create') && !permissions.includes('payouts:approve')) return false
  const owners = (['live', 'sandbox'] as const).map((env): Owner => ({ merchant_id, env }))
  return [...(await findControls(tx, owners)).values()].some(
    ({ is_for_bulk, is_for_new_beneficiaries, byCurrency }) =>
      is_for_bulk ||
      is_for_new_beneficiaries ||
      [...byCurrency.values()].some(({ approval_above }) => approval_above !== null),
  )
}

/** The database lets the transaction change rows of this merchant only. */
const inMerchant = <Result>({ db }: Context, merchantId: string, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  db.write.transaction(async (tx) => {
    await nameMerchants(tx, [merchantId])
    return work(tx)
  })

const contextOf = (ctx: Context, request: FastifyRequest): PeopleContext => ({
  ...peopleContext(ctx),
  origin: bearerOf(request).origin,
})
