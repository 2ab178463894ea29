import { type Owner, sql, type Tx } from '../../platform/db.ts'
import {
  type ApprovalRules,
  type CurrencyControls,
  findControls,
  noControls,
  ownerKey,
  type PayoutControls,
} from './rules.ts'

/** A change of a merchant's payout controls. What is missing stays; null removes a limit. */
export interface ControlsChange {
  readonly byCurrency?: { readonly currency: string; readonly to: Partial<CurrencyControls> }
  readonly rules?: Partial<ApprovalRules>
}

const unlimited: CurrencyControls = {
  per_payout: null,
  per_credential_day: null,
  per_merchant_day: null,
  per_beneficiary_day: null,
  approval_above: null,
}

/**
 * Changes the controls of a merchant, and returns them before and after. Changes of one merchant take turns. The next batch of
 * payouts uses them; payouts that wait for approval still need it.
 */
export async function changeControls(
  tx: Tx,
  owner: Owner,
  { byCurrency, rules }: ControlsChange,
): Promise<{ readonly before: PayoutControls; readonly after: PayoutControls }> {
  await tx.query(sql`select from merchants where id = ${owner.merchant_id} for no key update`)
  const controls = async () => (await findControls(tx, [owner])).get(ownerKey(owner)) ?? noControls
  const before = await controls()
  if (byCurrency) {
    const { currency, to } = byCurrency
    await writeCurrency(tx, owner, currency, { ...(before.byCurrency.get(currency) ?? unlimited), ...to })
  }
  if (rules) await writeRules(tx, owner, { ...before, ...rules })
  return { before, after: await controls() }
}

async function writeCurrency(tx: Tx, owner: Owner, currency: string, to: CurrencyControls): Promise<void> {
  const { merchant_id, env } = owner
  if (Object.values(to).every((limit) => limit === null))
    return void (await tx.query(sql`
      delete from payout_controls
      where (merchant_id, env, currency) = (${merchant_id}, ${env}, ${currency})`))
  await tx.query(sql`
    insert into payout_controls (merchant_id, env, currency, per_payout, per_credential_day, per_merchant_day,
      per_beneficiary_day, approval_above)
    values (${merchant_id}, ${env}, ${currency}, ${to.per_payout}, ${to.per_credential_day}, ${to.per_merchant_day},
      ${to.per_beneficiary_day}, ${to.approval_above})
    on conflict (merchant_id, env, currency) do update
    set per_payout = excluded.per_payout, per_credential_day = excluded.per_credential_day,
      per_merchant_day = excluded.per_merchant_day, per_beneficiary_day = excluded.per_beneficiary_day,
      approval_above = excluded.approval_above`)
}

async function writeRules(tx: Tx, { merchant_id, env }: Owner, to: ApprovalRules): Promise<void> {
  if (!to.is_for_bulk && !to.is_for_new_beneficiaries)
    return void (await tx.query(sql`
      delete from approval_rules
      where (merchant_id, env) = (${merchant_id}, ${env})`))
  await tx.query(sql`
    insert into approval_rules (merchant_id, env, is_for_bulk, is_for_new_beneficiaries)
    values (${merchant_id}, ${env}, ${to.is_for_bulk}, ${to.is_for_new_beneficiaries})
    on conflict (merchant_id, env) do update
    set is_for_bulk = excluded.is_for_bulk, is_for_new_beneficiaries = excluded.is_for_new_beneficiaries`)
}
