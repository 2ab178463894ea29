import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { readAmount } from '../../ui/amount.ts'
import { Button } from '../../ui/button.tsx'
import { countryText } from '../../ui/country.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Figures, Verified } from '../../ui/figures.tsx'
import { Money, moneyText } from '../../ui/money.tsx'
import { Time } from '../../ui/time.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type Wallet, walletKey } from '../payouts/payout-draft.ts'

interface ConvertDialogProps {
  readonly place: Place
  readonly wallets: readonly Wallet[]
  readonly from: Wallet
  readonly onClose: () => void
}

/** Moves money from one wallet to another of a different currency, at a rate that the server holds. */
export function ConvertDialog(props: ConvertDialogProps) {
  return (
    <Dialog
      className="w-[520px] max-w-[calc(100vw-24px)]"
      isOpen
      onClose={props.onClose}
      title="Convert between wallets"
    >
      <ConvertForm {...props} />
    </Dialog>
  )
}

function ConvertForm({ place, wallets, from, onClose }: ConvertDialogProps) {
  const others = wallets.filter(({ currency }) => currency !== from.currency)
  const [toKey, setToKey] = useState('')
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState(newReference)
  const to = others.find((wallet) => walletKey(wallet) === toKey) ?? others[0]
  const read = amount === '' ? undefined : readAmount(amount, from.currency)
  const convert = useConvert(place, onClose)
  const { quote, error } = useQuote(place, from, to, read?.amount, convert.isUnanswered)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (quote && reference.trim() !== '') convert.run({ quoteId: quote.quoteId, externalReference: reference.trim() })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">Convert between wallets</h2>
      <TextField
        hint={`${moneyText(from.available, from.currency)} available in ${from.country}`}
        inputMode="decimal"
        label={`Leaves your ${from.currency} wallet`}
        onChange={({ target }) => setAmount(target.value)}
        problem={read?.problem}
        value={amount}
      />
      <SelectField
        label="Arrives in"
        onChange={({ target }) => setToKey(target.value)}
        options={others.map((wallet) => ({
          value: walletKey(wallet),
          word: `${wallet.currency} wallet, ${countryText(wallet.country)}`,
        }))}
        value={to ? walletKey(to) : ''}
      />
      <TextField
        label="Your reference"
        maxLength={100}
        onChange={({ target }) => setReference(target.value)}
        value={reference}
      />
      {quote && <QuoteFacts quote={quote} />}
      <ActionProblem error={convert.error ?? error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={!quote || reference.trim() === ''} isBusy={convert.isBusy} look="primary" type="submit">
          Convert {quote?.fromAmount === undefined ? '' : moneyText(quote.fromAmount, from.currency)}
        </Button>
      </div>
    </form>
  )
}

const newReference = () => `convert-${new Date().toISOString().slice(0, 10)}-${crypto.randomUUID().slice(0, 8)}`

function QuoteFacts({ quote }: { readonly quote: Schemas['Quote'] }) {
  const { fromAmount = 0, fromCurrency = '', toAmount = 0, toCurrency = '', rate, expiresAt } = quote
  return (
    <div className="rounded-md border border-line bg-surface-2 p-3.5">
      <Figures
        figures={[
          { name: 'Leaves', value: <Money amount={fromAmount} currency={fromCurrency} /> },
          ...(rate ? [{ name: `Rate of ${rate.pair}`, value: rate.value }] : []),
          {
            name: 'Arrives at once',
            value: (
              <Verified>
                <Money amount={toAmount} currency={toCurrency} />
              </Verified>
            ),
            look: 'total' as const,
          },
          { name: 'Rate held until', value: <Time at={expiresAt} />, look: 'quiet' as const },
        ]}
      />
    </div>
  )
}

const quoteMs = 45_000

/** A quote of exactly what is entered. A conversion that got no response is repeated with the same one. */
function useQuote(place: Place, from: Wallet, to: Wallet | undefined, amount: string | undefined, isFrozen: boolean) {
  const settled = useDebounced(amount)
  const body = to && {
    ...{ fromCurrency: from.currency, fromCountry: from.country, toCurrency: to.currency, toCountry: to.country },
    amount: Number(settled),
  }
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['quote', place, body],
    enabled: body !== undefined && settled !== undefined && amount !== undefined,
    retry: false,
    gcTime: 0,
    staleTime: isFrozen ? Number.POSITIVE_INFINITY : quoteMs,
    refetchInterval: isFrozen ? false : quoteMs,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('postQuotes', { body: body as Schemas['QuoteRequest'], signal })).data,
  })
  const isCurrent = settled === amount && amount !== undefined && !isPlaceholderData
  return { quote: isCurrent && !error ? data : undefined, error }
}

interface ConvertInput {
  readonly quoteId: string
  readonly externalReference: string
}

function useConvert(place: Place, onDone: () => void) {
  return useAction({
    run: (body: ConvertInput, key) => merchantApi(place)('postConversions', { body, key }),
    done: ({ toAmount, toCurrency }) => `${moneyText(toAmount, toCurrency)} arrived in your ${toCurrency} wallet`,
    changes: [
      ['user', place],
      ['statement', place],
      ['money-flow', place],
      ['payments', place],
    ],
    onDone,
  })
}
