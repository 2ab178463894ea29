import { Type } from 'typebox'
import { AnyFields, Environment, NewPair, oneOf, optionalText, text, view } from './schema.ts'

export const AuditView = view('AuditEntry', {
  id: text,
  at: text,
  actor: Type.Object({ kind: text, id: text, name: text }),
  action: text,
  result: text,
  subject: text,
  merchantId: optionalText,
  env: Type.Optional(Environment),
  reason: optionalText,
  detail: AnyFields,
  requestId: optionalText,
  address: optionalText,
  userAgent: optionalText,
  role: optionalText,
  strength: optionalText,
  chain: Type.Integer(),
  number: text,
  hash: text,
  names: Type.Record(Type.String(), Type.String(), {
    description: 'The names, today, of the people and merchants whose ids are in the entry',
  }),
})

export const Invited = view('Invitation', {
  id: text,
  link: Type.String({ description: 'Shown once' }),
  expiresAt: text,
})

export const NewMachine = view('NewMachine', {
  id: text,
  publicKey: text,
  apiKey: Type.String({ description: 'Shown once' }),
})

export const MachineView = view('Machine', {
  id: text,
  name: text,
  publicKey: text,
  permissions: Type.Array(text),
  addresses: Type.Array(text),
  state: oneOf(['active', 'revoked']),
  createdAt: text,
})

/** The maker of a proposal collects a key pair of a merchant or a machine, or the link of an invitation; its approver the code. */
export const Collected = Type.Union([
  NewPair,
  NewMachine,
  Invited,
  Type.Object({ code: Type.String({ description: 'For the invited person, who needs it beside the link' }) }),
])

export const PersonView = view('Person', {
  id: text,
  name: text,
  email: text,
  state: oneOf(['active', 'ended']),
  roles: Type.Array(
    Type.Object({
      id: text,
      role: text,
      merchant: Type.Union([text, Type.Null()]),
      countries: Type.Array(text),
      currencies: Type.Array(text),
      grantedBy: text,
    }),
  ),
  createdAt: text,
})

export const SessionView = view('Session', {
  id: text,
  kind: oneOf(['browser', 'cli']),
  strength: oneOf(['passkey', 'password_totp', 'oidc']),
  address: text,
  userAgent: text,
  createdAt: text,
  lastSeenAt: text,
  endsAt: text,
})
