import type { Schemas } from '../../generated/merchant-api.ts'
import { toMinor } from '../../ui/amount.ts'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icons.tsx'
import { moneyText } from '../../ui/money.tsx'
import type { Wallet } from './payout-draft.ts'
import type { Validation } from './payout-queries.ts'

interface LimitsCardProps {
  readonly controls: Schemas['PayoutControls'] | undefined
  readonly validation: Validation | undefined
  readonly wallet: Wallet | undefined
}

interface Limit {
  readonly name: string
  readonly rule: string
  /** Used share, from 0 to 1; undefined where the server does not report what is used. */
  readonly share: number | undefined
  readonly state: 'open' | 'ok' | 'warn' | 'fail'
}

/** What bounds this payout, and how much of it this payout takes. */
export function LimitsCard({ controls, validation, wallet }: LimitsCardProps) {
  const limits = [
    ...operatorLimit(validation),
    ...ownLimits(controls, validation, wallet),
    ...approvalRules(controls, validation, wallet),
  ]
  if (limits.length === 0) return null
  return (
    <Card about="checked again when you confirm" title="Limits">
      <ul>
        {limits.map((limit) => (
          <LimitRow key={limit.name} limit={limit} />
        ))}
      </ul>
    </Card>
  )
}

const looks = {
  open: { icon: 'hourglass', ink: 'text-ink-3', bar: 'bg-surface-3', word: 'not checked yet' },
  ok: { icon: 'done', ink: 'text-ok', bar: 'bg-[var(--v1)]', word: 'within the limit' },
  warn: { icon: 'warn', ink: 'text-warn', bar: 'bg-[var(--v3)]', word: 'needs approval' },
  fail: { icon: 'failed', ink: 'text-fail', bar: 'bg-fail', word: 'outside the limit' },
} as const

function LimitRow({ limit: { name, rule, share, state } }: { readonly limit: Limit }) {
  const { icon, ink, bar, word } = looks[state]
  return (
    <li className="grid gap-1.5 border-t border-line py-2.5">
      <div className="flex items-center gap-2">
        <Icon className={ink} name={icon} size={14} />
        <span className="min-w-0 flex-1">
          {name}
          <span className="sr-only">: {word}</span>
        </span>
        <span className="text-right text-xs text-ink-3">{rule}</span>
      </div>
      {share !== undefined && (
        <div className="ml-[22px] h-1.5 overflow-hidden rounded-full bg-surface-3">
          <div className={`h-full rounded-full ${bar}`} style={{ width: `${Math.min(1, share) * 100}%` }} />
        </div>
      )}
    </li>
  )
}

function operatorLimit(validation: Validation | undefined): Limit[] {
  const { limits, operator, amount, currency, problems = [] } = validation ?? {}
  if (!limits || !operator || currency === undefined) return []
  const isOutside = problems.some(({ errorCode }) => errorCode === 'AMOUNT_OUT_OF_BOUNDS')
  return [
    {
      name: `${operator.name}, one payment`,
      rule: `${moneyText(limits.min, currency)} to ${moneyText(limits.max, currency)}`,
      share: amount === undefined ? undefined : amount / limits.max,
      state: isOutside ? 'fail' : 'ok',
    },
  ]
}

const limitNames = {
  perPayout: 'One payout',
  perBeneficiaryDay: 'One beneficiary in a day',
  perCredentialDay: 'One person in a day',
  perMerchantDay: 'All payouts of a day',
} as const

/** The merchant's own limits of the wallet's currency. What a day has used is not reported, only whether this payout still fits. */
function ownLimits(
  controls: LimitsCardProps['controls'],
  validation: Validation | undefined,
  wallet: Wallet | undefined,
): Limit[] {
  const own = controls?.currencies.find(({ currency }) => currency === wallet?.currency)
  if (!own) return []
  const isExceeded = validation?.problems.some(({ errorCode }) => errorCode === 'PAYOUT_LIMIT_EXCEEDED') === true
  return Object.entries(limitNames).flatMap(([key, name]): Limit[] => {
    const limit = own[key as keyof typeof limitNames]
    if (limit === undefined) return []
    const share = key === 'perPayout' ? shareOf(validation, limit, own.currency) : undefined
    const isOver = share === undefined ? isExceeded : share > 1
    return [{ name, rule: `at most ${moneyText(limit, own.currency)}`, share, state: isOver ? 'fail' : 'ok' }]
  })
}

function shareOf(validation: Validation | undefined, limit: string, currency: string): number | undefined {
  if (validation?.debitAmount === undefined) return undefined
  return Number(toMinor(validation.debitAmount, currency)) / Number(toMinor(limit, currency))
}

const approvalLooks = {
  open: { state: 'open', rule: 'depends on the payout' },
  ok: { state: 'ok', rule: 'not needed' },
  warn: { state: 'warn', rule: 'needs a second person' },
} as const

function approvalRules(
  controls: LimitsCardProps['controls'],
  validation: Validation | undefined,
  wallet: Wallet | undefined,
): Limit[] {
  const above = controls?.currencies.find(({ currency }) => currency === wallet?.currency)?.approvalAbove
  const needsApproval = validation?.needsApproval === true
  const shown = approvalLooks[validation === undefined ? 'open' : needsApproval ? 'warn' : 'ok']
  const rules: Limit[] = []
  if (above !== undefined && wallet)
    rules.push({
      name: `Approval above ${moneyText(above, wallet.currency)}`,
      share: undefined,
      ...shown,
    })
  if (controls?.newBeneficiariesNeedApproval)
    rules.push({
      name: 'Approval of new beneficiaries',
      share: undefined,
      ...shown,
    })
  return rules
}
