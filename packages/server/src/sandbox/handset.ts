import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { sql } from '../platform/db.ts'
import { attemptOfKey } from '../platform/ids.ts'
import type { SimulatedPrompt, Simulator } from '../providers/sandbox/simulator.ts'
import { readPhone } from '../reference/phones.ts'

/** What the customer's phone shows for one charge of the sandbox. */
export interface Prompt {
  /** Names the prompt in an answer. */
  readonly key: string
  readonly merchant: string
  readonly reference: string
  readonly operator: string
  /** In major units, as the operator shows it. */
  readonly amount: string
  readonly currency: string
  /** Until it times out; null if it waits. */
  readonly secondsLeft: number | null
}

type Needs = Pick<Context, 'db' | 'reference'> & { readonly simulator: Simulator }

/** The open prompts of a phone, oldest first. While this is called every few seconds, charges of the phone wait for an answer. */
export async function listPrompts(ctx: Needs, phoneNumber: string): Promise<Prompt[]> {
  const phone = readPhone(phoneNumber)
  if (!phone)
    throw invalid([{ field: 'phoneNumber', message: 'phoneNumber is not a mobile number like +254703456789' }])
  const prompts = await ctx.simulator.promptsOf(phone.e164.slice(1))
  if (!prompts) throw new AppError('PROVIDER_UNAVAILABLE', { message: 'The simulator does not respond.' })
  const shown = await Promise.all(prompts.map((prompt) => describe(ctx, prompt)))
  return shown.filter((prompt) => prompt !== undefined)
}

/** Only charges of the sandbox: a key that names another payment has no prompt. */
async function describe({ db, reference }: Needs, prompt: SimulatedPrompt): Promise<Prompt | undefined> {
  const id = attemptOfKey(prompt.key)?.transactionId
  const [found] = await db.write.query<{ merchant: string; external_reference: string }>(sql`
    select m.name as merchant, t.external_reference
    from transactions t
    join merchants m on m.id = t.merchant_id
    where t.id = ${id ?? null}::uuid
      and t.env = 'sandbox'`)
  if (!found) return undefined
  const { key, amount, currency, leftMs, operator } = prompt
  const isNamed = [...reference.operators.values()].find(({ id: name, aliases }) =>
    [name, ...aliases].includes(operator),
  )
  return {
    ...{ key, amount, currency, merchant: found.merchant, reference: found.external_reference },
    operator: isNamed?.name ?? 'Mobile money',
    secondsLeft: leftMs === null ? null : Math.ceil(leftMs / 1000),
  }
}

/** The customer's answer. It is refused unless the phone has this prompt. */
export async function answerPrompt(
  ctx: Needs,
  { phoneNumber, key, answer }: { readonly phoneNumber: string; readonly key: string; readonly answer: Answer },
): Promise<void> {
  const prompts = await listPrompts(ctx, phoneNumber)
  const isOpen = prompts.some((prompt) => prompt.key === key)
  if (!isOpen || !(await ctx.simulator.act(key, answer))) throw new AppError('PROMPT_MISSING')
}

export type Answer = 'approve' | 'decline'
