import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { Money } from '../../ui/money.tsx'

/** What the merchant has. */
export function HomePage() {
  const place = useParams({ strict: false }) as Place
  const { data } = useQuery({
    queryKey: ['user', place],
    queryFn: ({ signal }) => merchantApi(place)('getUsers', { signal }),
  })
  return (
    <div className="grid gap-4 px-6 py-5">
      <h1 className="text-xl font-semibold">Home</h1>
      <section className="rounded-card border border-line p-4">
        <h2 className="mb-2 text-md font-medium">Wallets</h2>
        <table className="w-full">
          <tbody>
            {data?.wallets.map(({ currency, country, available }) => (
              <tr className="border-t border-line" key={`${currency} ${country}`}>
                <td className="py-2">
                  {currency} <span className="text-ink-3">{country}</span>
                </td>
                <td className="text-right">
                  <Money amount={available} currency={currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}
