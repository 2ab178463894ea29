import type { Reply } from '../dialect.ts'
import { endOfPrompt, promptsOf } from '../handsets.ts'
import { complain } from './complain.ts'
import { fieldsOf } from './fields.ts'
import type { ControlCall } from './routes.ts'

/** Takes a phone for a person who plays its owner, and lists what it asks for. */
export function takeHandset({ core, json }: ControlCall): Reply {
  const { phone } = fieldsOf(json)
  if (typeof phone !== 'string' || !/^\d{6,15}$/.test(phone)) return complain(400, 'phone must be digits.')
  core.handsets.take(phone)
  const items = promptsOf(core.books.payments(), phone).map((payment) => {
    const { provider, key, operator, amount, currency, acceptedAt } = payment
    const expiresAt = endOfPrompt(payment)
    const leftMs = expiresAt === undefined ? null : Math.max(0, expiresAt - core.clock.now())
    return { provider, key, operator, amount, currency, ageMs: core.clock.now() - acceptedAt, leftMs }
  })
  return { status: 200, body: { items } }
}
