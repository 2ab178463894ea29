import { Type } from 'typebox'
import { ages } from '../open-money.ts'
import { Environment, FloatView, oneOf, optionalText, text, view } from './schema.ts'

/** The forms of the pages of operations. */

const Age = oneOf(ages)
const Seconds = Type.Number()
const someSeconds = Type.Optional(Seconds)

export const MorningCheckView = view('MorningCheck', {
  env: Environment,
  at: text,
  openPayments: Type.Array(
    Type.Object({ age: Age, currency: text, payments: Type.Integer(), amount: text, inDoubt: Type.Integer() }),
  ),
  doubts: Type.Array(
    Type.Object({
      doubt: Type.String({ description: 'Empty when the outcome is not known and no reason is named' }),
      summary: text,
      payments: Type.Integer(),
      oldestSeconds: Seconds,
    }),
  ),
  inDoubt: Type.Array(
    Type.Object({
      currency: text,
      isOut: Type.Boolean({ description: 'Payouts and refunds: the money leaves' }),
      payments: Type.Integer(),
      amount: text,
    }),
    { description: 'The money in doubt, by currency and direction' },
  ),
  lanes: Type.Array(
    Type.Object({
      provider: text,
      open: Type.Integer(),
      toSend: Type.Integer({ description: 'Not sent yet, or to be sent again' }),
      paused: Type.Integer({ description: 'Held because the provider is paused' }),
      frozen: Type.Integer({ description: 'Held because the merchant is frozen' }),
      due: Type.Integer({ description: 'Payments that a process should work on now' }),
      oldestDueSeconds: Type.Optional(
        Type.Number({ description: 'How long the first of them has waited: the lag of the queue' }),
      ),
    }),
  ),
  webhooks: Type.Object({
    waiting: Type.Array(Type.Object({ age: Age, records: Type.Integer() })),
    retries: Type.Integer({ description: 'How many of them were tried without success' }),
    oldestSeconds: someSeconds,
    isCut: Type.Boolean({ description: 'Whether more wait than were counted' }),
    failingEndpoints: Type.Integer(),
    disabledEndpoints: Type.Integer(),
  }),
  suspense: Type.Array(Type.Object({ currency: text, cases: Type.Integer(), amount: text, oldestSeconds: Seconds })),
  proposals: Type.Object({ open: Type.Integer(), oldestSeconds: someSeconds }),
  lowFloats: Type.Array(FloatView),
})

const ended = {
  successful: Type.Integer(),
  failed: Type.Integer(),
  successRate: Type.Optional(Type.Number({ description: 'Between 0 and 1; missing when nothing has ended' })),
}

export const ProviderBoardView = view('ProviderBoard', {
  env: Environment,
  at: text,
  rows: Type.Array(
    Type.Object({
      provider: text,
      operation: oneOf(['charge', 'payout', 'refund']),
      state: oneOf(['running', 'paused']),
      pausedAt: optionalText,
      pauseReason: optionalText,
      isUnhealthy: Type.Optional(
        Type.Literal(true, { description: 'It does not respond: new payments go to other providers until it does' }),
      ),
      open: Type.Integer({ description: 'Payments that have not ended, of any age' }),
      last15Minutes: Type.Object(ended, {
        description: 'Of the payments accepted in these 5 minutes and the 10 before',
      }),
      last24Hours: Type.Object(ended),
      p50Seconds: Type.Optional(Type.Number({ description: 'From acceptance to the end, exact to about 6 %' })),
      p95Seconds: someSeconds,
      hours: Type.Array(Type.Object({ at: text, ...ended }), { description: '24 points, the oldest first' }),
      failures: Type.Array(Type.Object({ code: text, payments: Type.Integer() }), {
        description: 'The commonest failures of 24 hours',
      }),
    }),
    { description: 'Payments count at the time of their acceptance. The lowest success rate is first' },
  ),
})
