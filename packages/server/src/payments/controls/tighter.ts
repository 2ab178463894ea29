import { type CurrencyControls, limitNames, type PayoutControls } from './rules.ts'

const amounts = [...(Object.keys(limitNames) as (keyof typeof limitNames)[]), 'approval_above'] as const

/** Whether a change of payout controls weakens none of them: no limit rises or ends, and no approval is dropped. */
export function isAtLeastAsTight(before: PayoutControls, after: PayoutControls): boolean {
  const keepsRules =
    (after.is_for_bulk || !before.is_for_bulk) && (after.is_for_new_beneficiaries || !before.is_for_new_beneficiaries)
  return keepsRules && [...before.byCurrency].every(([code, own]) => keepsAmounts(own, after.byCurrency.get(code)))
}

/** Null means that there is no limit: the loosest of all. */
function keepsAmounts(before: CurrencyControls, after: CurrencyControls | undefined): boolean {
  return amounts.every((name) => {
    const [was, is] = [before[name], after?.[name] ?? null]
    return was === null || (is !== null && is <= was)
  })
}
