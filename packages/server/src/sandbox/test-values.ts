import type { Context } from '../context.ts'
import { AppError, catalogue } from '../errors.ts'
import { numberFromMinor } from '../money/money.ts'
import { scenarioNames, scenarios } from '../scenarios/catalogue.ts'

/**
 * Everything that decides the outcome of a sandbox payment: the simulator's own tables, the limits on amounts, and the scenarios.
 * None of it is copied here.
 */
export async function testValues(ctx: Pick<Context, 'simulator' | 'reference'>) {
  const played = await ctx.simulator?.testValues()
  if (!played)
    throw new AppError('PROVIDER_UNAVAILABLE', { message: 'The simulator of this sandbox does not respond.' })
  return {
    ...played,
    amounts: amountsOf(ctx),
    scenarios: scenarioNames.map((name) => ({ name, what: scenarios[name].what })),
  }
}

function amountsOf({ reference }: Pick<Context, 'reference'>) {
  const { errorCode: outcome } = catalogue.AMOUNT_OUT_OF_BOUNDS
  return [...reference.operators.values()].flatMap(({ id, country, currency, limits }) => {
    if (!limits) return []
    const ways = [['charge', limits.deposit] as const, ['payout', limits.payout] as const]
    return ways.map(([way, { min, max }]) => {
      const [least, most] = [numberFromMinor(min, currency), numberFromMinor(max, currency)]
      const what = `Less than ${least} or more than ${most} ${currency} is refused.`
      return { operator: id, country, currency, for: way, min: least, max: most, outcome, what }
    })
  })
}
