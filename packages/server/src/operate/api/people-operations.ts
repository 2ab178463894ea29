import { Type } from 'typebox'
import { type Operation, operation } from './operation.ts'
import { Invited, PersonView, SessionView } from './people-schema.ts'
import { Limit, MerchantId, Reason, text } from './schema.ts'

const person = Type.String({ maxLength: 100, description: '`person_…`' })
const someTexts = Type.Optional(Type.Array(text, { maxItems: 100 }))

export const peopleOperations: readonly Operation[] = [
  operation({
    name: 'people.list',
    method: 'GET',
    path: '/people',
    permission: 'people:read',
    summary: 'List people and their roles',
    input: Type.Object({ after: Type.Optional(person), limit: Limit(1000) }),
    output: Type.Array(PersonView),
    run: (operator, wanted) => operator.people.list(wanted),
  }),
  operation({
    name: 'people.invite',
    method: 'POST',
    path: '/people/invite',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'Invite a person: the link works once, for 72 hours',
    input: Type.Object({
      email: text,
      name: text,
      role: text,
      merchant: Type.Optional(MerchantId),
      countries: someTexts,
      currencies: someTexts,
      isForOidc: Type.Optional(Type.Boolean()),
      reason: Type.Optional(Reason),
    }),
    output: Invited,
    control: {
      approve: 'people:approve',
      describe: ({ email, role, merchant = "the operator's staff" }) => `Invite ${email} to ${merchant} as ${role}`,
    },
    run: (operator, order) => operator.people.invite(order),
  }),
  operation({
    name: 'people.end',
    method: 'POST',
    path: '/people/:person/end',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'Disable a person permanently: roles and sessions end',
    input: Type.Object({ person, reason: Reason }),
    output: Type.Object({}),
    run: async (operator, { person: id, reason }) => {
      await operator.people.end(id, reason)
      return {}
    },
  }),
  operation({
    name: 'people.sessions',
    method: 'GET',
    path: '/people/:person/sessions',
    permission: 'people:read',
    summary: 'List the sessions of a person',
    input: Type.Object({ person }),
    output: Type.Array(SessionView),
    run: (operator, { person: id }) => operator.people.sessions(id),
  }),
  operation({
    name: 'people.endSessions',
    method: 'POST',
    path: '/people/:person/end-sessions',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'End all sessions of a person, who can sign in again',
    input: Type.Object({ person, reason: Reason }),
    output: Type.Object({ ended: Type.Integer() }),
    run: async (operator, { person: id, reason }) => ({ ended: await operator.people.endSessions(id, reason) }),
  }),
]
