import { useQuery } from '@tanstack/react-query'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { countryText } from '../../ui/country.ts'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { moneyText } from '../../ui/money.tsx'
import { banksQuery, operatorsQuery } from '../beneficiaries/reference-queries.ts'
import { controlsQuery, type WaitingPayout } from './approvals-query.ts'
import { reasonWords } from './reasons.ts'

interface EvidenceProps {
  readonly place: Place
  readonly payout: WaitingPayout
  readonly payment: Schemas['OneTransaction'] | undefined
}

interface Fact {
  readonly icon: IconName
  readonly title: string
  readonly about: string
}

/** Why it waits, and what is known of it. Only facts of the server. */
export function Evidence({ place, payout, payment }: EvidenceProps) {
  const { data: controls } = useQuery(controlsQuery(place))
  const railOf = useRail(place)
  const above = controls?.currencies.find(({ currency }) => currency === payout.senderCurrency)?.approvalAbove
  const facts: readonly Fact[] = [
    ...payout.reasons.map((reason) => ({
      icon: 'warn' as const,
      title:
        reason === 'above_amount' && above !== undefined ? aboveWords(above, payout.senderCurrency) : whyOf(reason),
      about: reasonWords[reason]?.sentence ?? '',
    })),
    {
      icon: 'person',
      title: payout.beneficiary.accountName || 'No name was given',
      about: `${railOf(payout)}, ${payout.beneficiary.country}: ${payout.beneficiary.accountNumber}`,
    },
    ...(payment === undefined
      ? []
      : [
          {
            icon: 'balances' as const,
            title: `Fee ${moneyText(payment.fee, payment.senderCurrency)}`,
            about: `Paid by you, on top of the amount. Your reference: ${payment.externalReference}.`,
          },
        ]),
  ]
  return (
    <>
      <h3 className="mt-4 mb-1 text-xs font-medium text-ink-2">Evidence</h3>
      <ul>
        {facts.map(({ icon, title, about }) => (
          <li className="flex gap-2.5 border-b border-line py-2 last:border-0" key={title}>
            <Icon className="mt-0.5 text-ink-3" name={icon} />
            <span className="min-w-0">
              <b className="block font-medium">{title}</b>
              <span className="block text-xs text-ink-3">{about}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const aboveWords = (above: string, currency: string) => `Above ${moneyText(above, currency)}`

function whyOf(reason: string): string {
  const words = reasonWords[reason]?.short ?? reason
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The bank or operator that gets the money, by its name: an account number alone proves nothing. */
function useRail(place: Place): (payout: WaitingPayout) => string {
  const { data: banks = [] } = useQuery(banksQuery(place))
  const { data: operators = [] } = useQuery(operatorsQuery(place))
  return ({ destination, beneficiary: { bankCode, country } }) => {
    const bank = banks.find((each) => each.code === bankCode && countryText(each.country) === country)
    const operator = operators.find(({ id }) => id === bankCode)
    return (destination === 'MoMo' ? operator : bank)?.name ?? `${destination} ${bankCode}`.trim()
  }
}
