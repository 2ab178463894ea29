import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { moneyParts } from '../../../ui/money.tsx'
import { Time } from '../../../ui/time.tsx'
import { DoubleRule } from '../parts/double-rule.tsx'
import { accountKindNames, accountKinds, countText } from '../parts/words.ts'
import type { TrialBalanceData } from './queries.ts'

/** Each currency, with its kinds of account. The double rule stands only under a sum that the server found to be zero. */
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
                  Currency
                </th>
                {kinds.map((kind) => (
                  <th className="h-8 px-2 text-right align-bottom font-medium whitespace-nowrap" key={kind} scope="col">
                    {accountKinds[kind].word}
                    <span className="block font-normal">{accountKinds[kind].what}</span>
                  </th>
                ))}
                <th className="h-8 pr-4 pl-2 text-right align-bottom font-medium" scope="col">
                  Sum
                </th>
              </tr>
            </thead>
            <tbody>
              {currencies.map((each) => (
                <tr className="h-9 border-b border-line last:border-0" key={each.currency}>
                  <th className="sticky left-0 bg-surface pr-2 pl-4 text-left font-semibold" scope="row">
                    {each.currency}
                  </th>
                  {kinds.map((kind) => (
                    <Figure currency={each} key={kind} kind={kind} />
                  ))}
                  <td className="pr-4 pl-2 text-right">
                    <DoubleRule amount={each.sum} currency={each.currency} isVerified={each.isBalanced} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <footer className="flex flex-wrap gap-x-4 border-t border-line px-4 py-2.5 text-xs text-ink-3">
        <span>
          {countText(accounts)} accounts at <Time at={at} />
        </span>
        <span className="flex-1" />
        <span className="wide:hidden">The kinds of account and the sums continue to the right.</span>
        <span>Every figure opens its accounts.</span>
      </footer>
    </Card>
  )
}

type CurrencyBalance = TrialBalanceData['currencies'][number]

function Figure({ currency: { currency, kinds }, kind }: { currency: CurrencyBalance; kind: string }) {
  const found = kinds.find((each) => each.kind === kind)
  if (!found) return <td className="px-2 text-right text-ink-3">–</td>
  const { sign, whole, decimals } = moneyParts(found.balance, currency)
  return (
    <td className="px-2 text-right tabular-nums whitespace-nowrap">
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
