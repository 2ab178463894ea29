import { floatLevels } from '../ledger/float-marks.ts'
import { formatMinor } from '../money/money.ts'
import { doubts } from '../payments/model/doubts.ts'
import { mayOperate, mayRead } from '../people/principal.ts'
import type { OperatorPermission } from '../people/roles.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import { type FloatView, viewOfFloat } from './float-marks.ts'
import {
  type Age,
  ages,
  countEndpoints,
  groupOpen,
  groupWaitingWebhooks,
  type OpenGroup,
  waitingMax,
} from './open-money.ts'
import { type OperatorContext, readScope } from './operator-context.ts'
import { shownMinor } from './wallets.ts'

/** Everything that may need a person, on one screen. Each figure is of this moment. */
export interface MorningCheck {
  readonly env: Environment
  readonly at: string
  /** Open payments of one age and currency. */
  readonly openPayments: readonly OpenOfAge[]
  /** Why open payments wait or are in doubt, most payments first. */
  readonly doubts: readonly DoubtCount[]
  /** The money in doubt, by currency and direction. */
  readonly inDoubt: readonly DoubtSum[]
  /** The work of each provider with open payments. */
  readonly lanes: readonly LaneWork[]
  readonly webhooks: WebhookBacklog
  /** Open cases about money in suspense, by currency. */
  readonly suspense: readonly SuspenseSum[]
  readonly proposals: { readonly open: number; readonly oldestSeconds?: number }
  /** Floats below their low-water marks. */
  readonly lowFloats: readonly FloatView[]
}

interface OpenOfAge {
  readonly age: Age
  readonly currency: string
  readonly payments: number
  readonly amount: string
  /** How many of them are in doubt, or wait for a named reason. */
  readonly inDoubt: number
}

interface DoubtSum {
  readonly currency: string
  /** Payouts and refunds: the money leaves. */
  readonly isOut: boolean
  readonly payments: number
  readonly amount: string
}

interface DoubtCount {
  /** Empty when the outcome is not known and no reason is named. */
  readonly doubt: string
  readonly summary: string
  readonly payments: number
  readonly oldestSeconds: number
}

interface LaneWork {
  readonly provider: string
  readonly open: number
  /** Not sent yet, or to be sent again. */
  readonly toSend: number
  /** Held because the provider is paused, or the merchant is frozen. */
  readonly paused: number
  readonly frozen: number
  /** Payments that a process should work on now, and how long the first of them has waited: the lag of the queue. */
  readonly due: number
  readonly oldestDueSeconds?: number
}

interface WebhookBacklog {
  readonly waiting: readonly { readonly age: Age; readonly records: number }[]
  /** How many of them were tried without success. */
  readonly retries: number
  readonly oldestSeconds?: number
  /** Whether more wait than were counted. */
  readonly isCut: boolean
  readonly failingEndpoints: number
  readonly disabledEndpoints: number
}

interface SuspenseSum {
  readonly currency: string
  readonly cases: number
  /** Below 0: money that left and that the operator must recover. */
  readonly amount: string
  readonly oldestSeconds: number
}

export async function morningCheck(
  context: OperatorContext,
  { env }: { readonly env: Environment },
): Promise<MorningCheck> {
  return context.db.write.snapshot(async (tx) => {
    const [clock] = await tx.query<{ at: Date }>(sql`select record_time() as at`)
    const open = await groupOpen(tx, { env, scope: scopeOf(context, 'payments:read') })
    return {
      env,
      at: (clock?.at ?? new Date()).toISOString(),
      openPayments: byAge(open),
      doubts: byDoubt(open),
      inDoubt: sumsInDoubt(open),
      lanes: byLane(open),
      webhooks: await webhookBacklog(tx, env),
      suspense: await suspenseOf(tx, env, scopeOf(context, 'payments:read')),
      proposals: await openProposals(tx, env, scopeOf(context, 'merchants:read')),
      lowFloats: (await floatLevels(tx))
        .filter((level) => level.env === env && level.mark !== null && level.amount < level.mark)
        .filter((level) => mayRead(context.principal, 'providers:read', level))
        .map(viewOfFloat),
    }
  })
}

/** The scope of a part that needs another permission than the whole; nothing without that permission. */
const scopeOf = (context: OperatorContext, permission: OperatorPermission) =>
  mayOperate(context.principal, permission) ? readScope(context, permission) : '[]'

const isInDoubt = ({ state, doubt }: OpenGroup) => state === 'unknown' || doubt !== ''

const countOf = (groups: readonly { readonly payments: number }[]) =>
  groups.reduce((sum, { payments }) => sum + payments, 0)

function byAge(open: readonly OpenGroup[]): OpenOfAge[] {
  const groups = Map.groupBy(open, ({ age, currency }) => `${ages.indexOf(age)} ${currency}`)
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, same]) => {
      const [first] = same
      if (!first) return []
      return {
        age: first.age,
        currency: first.currency,
        payments: countOf(same),
        amount: sumOf(same, first.currency),
        inDoubt: countOf(same.filter(isInDoubt)),
      }
    })
}

function byDoubt(open: readonly OpenGroup[]): DoubtCount[] {
  const groups = Map.groupBy(open.filter(isInDoubt), ({ doubt }) => doubt)
  return [...groups]
    .map(([doubt, same]) => ({
      doubt,
      summary: doubt === '' ? 'its outcome is not known' : doubts[doubt].summary,
      payments: countOf(same),
      oldestSeconds: Math.max(...same.map(({ oldest_seconds }) => oldest_seconds)),
    }))
    .sort((left, right) => right.payments - left.payments)
}

function sumsInDoubt(open: readonly OpenGroup[]): DoubtSum[] {
  const groups = Map.groupBy(open.filter(isInDoubt), ({ currency, is_out }) => `${currency} ${is_out ? 0 : 1}`)
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, same]) => {
      const [first] = same
      return first
        ? {
            currency: first.currency,
            isOut: first.is_out,
            payments: countOf(same),
            amount: sumOf(same, first.currency),
          }
        : []
    })
}

const sumOf = (groups: readonly OpenGroup[], currency: OpenGroup['currency']) =>
  formatMinor(
    groups.reduce((sum, { amount }) => sum + amount, 0n),
    currency,
  )

function byLane(open: readonly OpenGroup[]): LaneWork[] {
  return [...Map.groupBy(open, ({ provider }) => provider)].map(([provider, same]) => {
    const due = same.filter(({ is_due }) => is_due)
    const oldest = Math.max(...due.map(({ due_seconds }) => due_seconds ?? 0))
    return {
      provider,
      open: countOf(same),
      toSend: countOf(same.filter(({ is_to_send }) => is_to_send)),
      paused: countOf(same.filter(({ held_by }) => held_by === 'paused')),
      frozen: countOf(same.filter(({ held_by }) => held_by === 'frozen')),
      due: countOf(due),
      ...(due.length > 0 && { oldestDueSeconds: oldest }),
    }
  })
}

async function webhookBacklog(db: Db, env: Environment): Promise<WebhookBacklog> {
  const waiting = await groupWaitingWebhooks(db, env)
  const { failing, disabled } = await countEndpoints(db, env)
  const records = waiting.reduce((sum, each) => sum + each.records, 0)
  return {
    waiting: ages
      .flatMap((age) => waiting.filter((each) => each.age === age))
      .map(({ age, records }) => ({ age, records })),
    retries: waiting.reduce((sum, { retries }) => sum + retries, 0),
    ...(waiting.length > 0 && { oldestSeconds: Math.max(...waiting.map(({ oldest_seconds }) => oldest_seconds)) }),
    isCut: records >= waitingMax,
    failingEndpoints: failing,
    disabledEndpoints: disabled,
  }
}

async function suspenseOf(db: Db, env: Environment, scope: string | null): Promise<SuspenseSum[]> {
  const rows = await db.query<Omit<SuspenseSum, 'amount'> & { readonly amount: bigint }>(sql`
    select currency, count(*)::int as cases, sum(amount)::bigint as amount,
      extract(epoch from (select record_time()) - min(opened_at))::int as "oldestSeconds"
    from suspense_cases
    where closed_at is null
      and env = ${env}
      and is_in_scope(${scope}::jsonb, country, currency)
    group by currency
    order by currency`)
  return rows.map((row) => ({ ...row, amount: shownMinor(row.amount, row.currency) }))
}

/** Proposals that can still be decided: of this environment, and those of none, such as a role of a person. */
async function openProposals(db: Db, env: Environment, scope: string | null): Promise<MorningCheck['proposals']> {
  const [row] = await db.query<{ open: number; oldest_seconds: number | null }>(sql`
    select count(*)::int as open,
      extract(epoch from (select record_time()) - min(created_at))::int as oldest_seconds
    from proposals
    where state = 'open'
      and expires_at > (select record_time())
      and coalesce(env, ${env}) = ${env}
      and is_in_scope(${scope}::jsonb, coalesce(preview->'place'->>'country', input->>'country'),
        coalesce(preview->'place'->>'currency', input->>'currency', currency))`)
  const { open = 0, oldest_seconds = null } = row ?? {}
  return { open, ...(oldest_seconds !== null && { oldestSeconds: oldest_seconds }) }
}
