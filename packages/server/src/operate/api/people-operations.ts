import { Type } from 'typebox'
import { type Operation, operation } from './operation.ts'
import { Invited, MachineView, NewMachine, PersonView, SessionView } from './people-schema.ts'
import { Limit, MerchantId, Reason, text } from './schema.ts'

const person = Type.String({ maxLength: 100, description: '`person_…`' })
const membership = Type.String({ maxLength: 100, description: 'The id of a role of a person, from the list of people' })
const machine = Type.String({ maxLength: 100, description: '`machine_…`' })
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
    name: 'people.grant',
    method: 'POST',
    path: '/people/:person/roles',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'Give a role to a person who joined before; the person signs in again to use it',
    input: Type.Object({
      person,
      role: text,
      merchant: Type.Optional(MerchantId),
      countries: someTexts,
      currencies: someTexts,
      reason: Reason,
    }),
    output: Type.Object({ membership: text }),
    control: {
      approve: 'people:approve',
      describe: ({ person: id, role, merchant = "the operator's staff" }) =>
        `Give ${id} the role ${role} in ${merchant}`,
    },
    run: (operator, { person: id, ...order }) => operator.people.grant(id, order),
  }),
  operation({
    name: 'people.endRole',
    method: 'POST',
    path: '/roles/:membership/end',
    permission: 'people:write',
    isSteppedUp: true,
    summary: "End a role of a person, and the person's sessions",
    input: Type.Object({ membership, reason: Reason }),
    output: Type.Object({}),
    run: async (operator, { membership: id, reason }) => {
      await operator.people.endRole(id, reason)
      return {}
    },
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
  operation({
    name: 'people.recover',
    method: 'POST',
    path: '/people/:person/recover',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'End every way to sign in of a person who lost them, and make a link for a new one; roles stay',
    input: Type.Object({ person, reason: Reason }),
    output: Invited,
    control: {
      approve: 'people:approve',
      describe: ({ person: id }) => `Recover the access of ${id}`,
    },
    run: (operator, { person: id, reason }) => operator.people.recover(id, reason),
  }),
]

/** Credentials of the operator's own programs. */
export const machineOperations: readonly Operation[] = [
  operation({
    name: 'machines.list',
    method: 'GET',
    path: '/machines',
    permission: 'people:read',
    summary: 'List machines and their permissions',
    input: Type.Object({}),
    output: Type.Array(MachineView),
    run: (operator) => operator.machines.list(),
  }),
  operation({
    name: 'machines.create',
    method: 'POST',
    path: '/machines',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'Create a key pair for a machine, with permissions that you hold',
    input: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      permissions: Type.Array(text, { minItems: 1, maxItems: 100 }),
      addresses: someTexts,
      reason: Reason,
    }),
    output: NewMachine,
    control: {
      approve: 'people:approve',
      describe: ({ name, permissions }) => `Create the machine ${name} with ${permissions.join(', ')}`,
    },
    run: (operator, order) => operator.machines.create(order),
  }),
  operation({
    name: 'machines.revoke',
    method: 'POST',
    path: '/machines/:machine/revoke',
    permission: 'people:write',
    isSteppedUp: true,
    summary: 'Revoke the key pair of a machine',
    input: Type.Object({ machine, reason: Reason }),
    output: Type.Object({}),
    run: async (operator, { machine: id, reason }) => {
      await operator.machines.revoke(id, reason)
      return {}
    },
  }),
]
