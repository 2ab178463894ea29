import { useQuery } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { Money, moneyText } from '../../ui/money.tsx'
import { fromMinor, toMinor } from './minor-units.ts'
import type { OnePayment } from './payment-queries.ts'

interface RefundPreviewProps {
  readonly place: Place
  readonly payment: OnePayment
  readonly amount: number
}

/** The entries that the refund makes, and what is available after it. Across currencies the rate of the moment decides. */
export function RefundPreview({ place, payment, amount }: RefundPreviewProps) {
  const { currency, receiverCurrency, country } = payment
  const { data } = useQuery({
    queryKey: ['user', place],
    queryFn: ({ signal }) => merchantApi(place)('getUsers', { signal }),
  })
  const wallets = data?.wallets.filter((wallet) => wallet.currency === receiverCurrency) ?? []
  const wallet = wallets.find((each) => each.country === country) ?? wallets[0]
  const isSame = currency === receiverCurrency
  const after = wallet && isSame ? toMinor(wallet.available, currency) - toMinor(amount, currency) : undefined
  const sum = isSame ? moneyText(amount, currency) : `the value in ${receiverCurrency}`
  return (
    <section aria-label="What it does" className="grid gap-2 rounded-md bg-surface-2 px-3.5 py-2.5 text-xs">
      <h3 className="text-2xs font-medium text-ink-3">Entries it makes</h3>
      <ol className="grid gap-1">
        <li className="flex justify-between gap-3">
          <span>Your {receiverCurrency} wallet → In progress, held now</span>
          <b className="font-semibold whitespace-nowrap">{sum}</b>
        </li>
        <li className="flex justify-between gap-3">
          <span>In progress → Provider, when it confirms</span>
          <b className="font-semibold whitespace-nowrap">{moneyText(amount, currency)}</b>
        </li>
      </ol>
      {after !== undefined && wallet && (
        <p className="flex justify-between border-t border-line pt-2">
          <span>Available after it, now {moneyText(wallet.available, currency)}</span>
          <Money amount={fromMinor(after, currency)} currency={currency} />
        </p>
      )}
      {after !== undefined && after < 0n && (
        <p className="text-fail">Your wallet has too little available: the refund would be refused.</p>
      )}
      <p className="text-ink-3">
        {isSame
          ? 'A fee for refunds is added where your fees have one.'
          : `The amount in ${receiverCurrency} is fixed by the rate when the refund is accepted. A fee for refunds is added where your fees have one.`}
      </p>
    </section>
  )
}
