import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { moneyParts } from '../../../ui/money.tsx'
import { Time } from '../../../ui/time.tsx'
import { DoubleRule } from '../parts/double-rule.tsx'
import { accountKindNames, accountKinds, countText } from '../parts/words.ts'
import type { TrialBalanceData } from './queries.ts'

/** Each kind of account in each currency. The double rule stands only under a sum that the server found to be zero. */
export function TrialBalance({ data }: { readonly data: TrialBalanceData }) {
  const { currencies, isBalanced, accounts, at } = data
  const kinds = accountKindNames.filter((kind) =>
    currencies.some((each) => each.kinds.some((found) => found.kind === kind)),
  )
  return (
    <Card
      about="debit is positive, credit is negative"
      actions={
        isBalanced ? (
          <Badge
            icon="done"
            tone="ok"
            word={`Balances in ${currencies.length} ${currencies.length === 1 ? 'currency' : 'currencies'}`}
          />
        ) : (
          <Badge icon="failed" tone="fail" word="Does not balance" />
        )
      }
      isFlush
      title="Trial balance"
    >
      {currencies.length === 0 ? (
        <Empty title="No entries yet">
          The first payment or the first funding of a wallet makes the first entries.
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls sideways is reached by keyboard.
        <section aria-label="Trial balance, table" className="overflow-x-auto" tabIndex={0}>
          <table className="w-full border-collapse">
            <thead>
              <tr className="border-b border-line text-2xs text-ink-3">
                <th className="sticky left-0 h-8 bg-surface pr-2 pl-4 text-left font-medium" scope="col">
                  Account
                </th>
                {currencies.map(({ currency }) => (
                  <th className="h-8 px-2 text-right font-medium last:pr-4" key={currency} scope="col">
                    {currency}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {kinds.map((kind) => (
                <tr className="h-9 border-b border-line" key={kind}>
                  <th
                    className="sticky left-0 bg-surface pr-2 pl-4 text-left font-normal whitespace-nowrap"
                    scope="row"
                  >
                    <b className="font-semibold">{accountKinds[kind].word}</b>{' '}
                    <span className="text-xs text-ink-3 max-phone:hidden">{accountKinds[kind].what}</span>
                  </th>
                  {currencies.map((each) => (
                    <Figure currency={each} key={each.currency} kind={kind} />
                  ))}
                </tr>
              ))}
            </tbody>
            <tfoot className="border-t border-line-3">
              <tr className="h-10">
                <th className="sticky left-0 bg-surface pl-4 text-left font-semibold" scope="row">
                  Sum
                </th>
                {currencies.map(({ currency, sum, isBalanced: isVerified }) => (
                  <td className="px-2 text-right last:pr-4" key={currency}>
                    <DoubleRule amount={sum} currency={currency} isVerified={isVerified} />
                  </td>
                ))}
              </tr>
            </tfoot>
          </table>
        </section>
      )}
      <footer className="flex flex-wrap gap-x-4 border-t border-line px-4 py-2.5 text-xs text-ink-3">
        <span>
          {countText(accounts)} accounts at <Time at={at} />
        </span>
        <span className="flex-1" />
        <span>Every figure opens its accounts.</span>
      </footer>
    </Card>
  )
}

type CurrencyBalance = TrialBalanceData['currencies'][number]

function Figure({ currency: { currency, kinds }, kind }: { currency: CurrencyBalance; kind: string }) {
  const found = kinds.find((each) => each.kind === kind)
  if (!found) return <td className="px-2 text-right text-ink-3 last:pr-4">–</td>
  const { sign, whole, decimals } = moneyParts(found.balance, currency)
  return (
    <td className="px-2 text-right tabular-nums whitespace-nowrap last:pr-4">
      <Link
        aria-label={`${accountKinds[found.kind].word} ${currency} ${sign}${whole}${decimals}: show its accounts`}
        className="hover:text-brand hover:underline"
        hash="accounts"
        resetScroll={false}
        search={{ kind: found.kind, currency }}
        to="/operator/ledger"
      >
        {sign}
        {whole}
        <span className="text-ink-3">{decimals}</span>
      </Link>
    </td>
  )
}
