import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { operatorApi } from '../../../api/operator-api.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/field.tsx'
import { Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey, useOperator } from '../parts/use-operator.ts'
import { MoneyTab } from '../payments/money-tab.tsx'
import { paymentQuery } from '../payments/queries.ts'

const foundMax = 5

/** The entries of a payment, found by its reference. What is typed is in no URL. */
export function FindEntries() {
  const { env } = useOperator()
  const [query, setQuery] = useState('')
  const [chosen, choose] = useState<string>()
  const { data, error } = useQuery({
    queryKey: [operatorKey, 'find', env, query],
    enabled: query !== '',
    queryFn: async ({ signal }) =>
      (await operatorApi('postPaymentsFind', { body: { query, env, limit: foundMax }, signal })).data.payments,
  })
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    choose(undefined)
    setQuery(String(new FormData(event.currentTarget).get('query')).trim())
  }
  return (
    <Card title="Entries of a payment">
      <form className="flex items-end gap-2" onSubmit={find}>
        <TextField className="flex-1" label="Payment, reference, receipt or provider key" name="query" required />
        <Button className="h-9" icon="search" type="submit">
          Find
        </Button>
      </form>
      <QueryProblem error={error} />
      {data?.length === 0 && <p className="mt-3 text-ink-3">No payment has it.</p>}
      <ul className="mt-2">
        {data?.map(({ id, merchant, amount, currency, stage, externalReference }) => (
          <li className="border-b border-line last:border-0" key={id}>
            <button
              aria-expanded={chosen === id}
              className="grid w-full grid-cols-[minmax(0,1fr)_auto] gap-x-3 py-2 text-left hover:bg-hover"
              onClick={() => choose(chosen === id ? undefined : id)}
              type="button"
            >
              <span className="truncate font-medium">{merchant.name}</span>
              <Money amount={amount} currency={currency} />
              <span className="truncate font-mono text-xs text-ink-3">{externalReference}</span>
              <span className="text-right">
                <StatusBadge of={stage} />
              </span>
            </button>
            {chosen === id && <Entries id={id} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Entries({ id }: { readonly id: string }) {
  const { data, error } = useQuery(paymentQuery(id))
  return (
    <div className="pb-3">
      <QueryProblem error={error} />
      {data && <MoneyTab payment={data} />}
    </div>
  )
}
