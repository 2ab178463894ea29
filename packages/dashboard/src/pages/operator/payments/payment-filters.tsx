import { useNavigate, useSearch } from '@tanstack/react-router'
import { exponents } from '../../../generated/values.ts'
import { Button } from '../../../ui/button.tsx'
import { providerText } from '../parts/words.ts'

const shows = [
  { value: 'open', word: 'Open' },
  { value: 'doubt', word: 'Needs a person' },
  { value: 'all', word: 'All' },
] as const

const choices = [
  { name: 'type', word: 'Kind', values: ['charge', 'payout', 'refund', 'conversion', 'adjustment'] },
  { name: 'currency', word: 'Currency', values: Object.keys(exponents) },
] as const

const textLook = 'h-[30px] rounded-sm border border-line-2 bg-surface px-2 max-phone:h-9 max-phone:text-lg'

/** Which payments are listed. All of it is in the URL. */
export function PaymentFilters() {
  const search = useSearch({ from: '/operator/payments' })
  const navigate = useNavigate({ from: '/operator/payments' })
  const set = (name: string, value: string) =>
    void navigate({
      search: (before) => ({ ...before, [name]: value === '' ? undefined : value }) as never,
      replace: true,
    })
  const show = search.show ?? 'open'
  const isFiltered = search.type ?? search.currency ?? search.merchant ?? search.provider
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 pb-3 max-phone:px-4">
      <fieldset className="inline-flex gap-0.5 rounded-sm bg-surface-3 p-0.5">
        <legend className="sr-only">Which payments</legend>
        {shows.map(({ value, word }) => (
          <button
            aria-pressed={show === value}
            className={`h-[26px] rounded-[5px] px-2.5 text-xs font-medium ${show === value ? 'bg-raised text-ink ring-1 ring-line' : 'text-ink-2'}`}
            key={value}
            onClick={() => set('show', value === 'open' ? '' : value)}
            type="button"
          >
            {word}
          </button>
        ))}
      </fieldset>
      {choices.map(({ name, word, values }) => (
        <select
          aria-label={word}
          className={textLook}
          key={name}
          onChange={(event) => set(name, event.target.value)}
          value={search[name] ?? ''}
        >
          <option value="">{word}: any</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      ))}
      {(search.merchant ?? search.provider) !== undefined && (
        <span className="text-xs text-ink-2">
          {search.merchant !== undefined && `Merchant is ${search.merchant} `}
          {search.provider !== undefined && `Provider is ${providerText(search.provider)}`}
        </span>
      )}
      {isFiltered !== undefined && (
        <Button
          icon="close"
          look="quiet"
          onClick={() => void navigate({ search: search.show === undefined ? {} : { show: search.show } })}
        >
          Remove filters
        </Button>
      )}
    </div>
  )
}
