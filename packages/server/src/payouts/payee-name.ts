import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Beneficiary } from '../external-accounts/beneficiary.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { Owner } from '../platform/db.ts'
import { nameMatch } from '../reference/name-match.ts'
import { type AccountQuestion, resolveName } from '../reference/resolve-account.ts'

export interface PayeeName {
  /** The holder's name as the provider knows it; empty where the provider knows no such account. */
  readonly accountName: string
  /** How well it matches the name in the request, from 0 to 1. */
  readonly nameMatch: number
}

/** The name of a beneficiary, where the rail resolves names. Undefined where it does not, or does not in time. */
export async function nameOf(ctx: Context, owner: Owner, beneficiary: Beneficiary): Promise<PayeeName | undefined> {
  const question = questionOf(beneficiary)
  if (!question) return undefined
  try {
    const { accountName } = await resolveName(ctx, owner, question, timing.nameWaitMs)
    return { accountName, nameMatch: nameMatch(beneficiary.account_name, accountName) }
  } catch (error) {
    if (error instanceof AppError && error.key === 'ACCOUNT_UNKNOWN') return { accountName: '', nameMatch: 0 }
    if (!(error instanceof AppError)) ctx.log.warn({ err: error }, 'name lookup failed')
    return undefined // The payout does not depend on it.
  }
}

function questionOf({ destination, account_number, currency, code, branch_code }: Beneficiary) {
  const account = { accountNumber: account_number, currency }
  const questions: Partial<Record<Beneficiary['destination'], AccountQuestion>> = {
    MoMo: { method: 'momo', ...account, momoOperator: code },
    'Bank Account': { method: 'bank', ...account, bankCode: code, branchCode: branch_code },
  }
  return questions[destination]
}
