import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/card.tsx'
import { counted } from '../../../ui/counted.ts'
import { Icon, type IconName } from '../../../ui/icons.tsx'
import { moneyText } from '../../../ui/money.tsx'
import { ageText, providerText } from '../parts/words.ts'
import type { MorningCheck } from './gauges.tsx'

interface Item {
  readonly key: string
  readonly icon: IconName
  readonly fact: string
  readonly detail: string
  /** Where it is done, when that is another page. */
  readonly link?: { readonly to: '/operator/proposals' | '/operator/suspense'; readonly word: string }
}

/** What waits for a person, each with where it is done. */
export function Attention({ check }: { readonly check: MorningCheck }) {
  const items = [...proposalsOf(check), ...suspenseOf(check), ...doubtsOf(check), ...floatsOf(check)]
  return (
    <Card className="shadow-raised" title="Needs a person">
      {items.length === 0 && (
        <p className="flex items-center gap-2 text-ok">
          <Icon name="done" />
          Nothing waits for a decision.
        </p>
      )}
      <ul>
        {items.map(({ key, icon, fact, detail, link }) => (
          <li className="flex items-start gap-3 border-b border-line py-2.5 first:pt-0 last:border-0" key={key}>
            <Icon className="mt-0.5 text-ink-2" name={icon} />
            <div className="min-w-0 flex-1">
              <b className="font-semibold">{fact}</b>
              <p className="text-xs text-ink-3">{detail}</p>
            </div>
            {link && (
              <Link className="py-1 text-xs font-medium whitespace-nowrap text-brand" to={link.to}>
                {link.word}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function proposalsOf({ proposals: { open, oldestSeconds = 0 } }: MorningCheck): Item[] {
  if (open === 0) return []
  const fact = `${counted(open, 'proposal waits', 'proposals wait')} for a second person`
  const link = { to: '/operator/proposals', word: 'Decide' } as const
  return [{ key: 'proposals', icon: 'approvals', fact, detail: `oldest ${ageText(oldestSeconds)}`, link }]
}

const suspenseOf = ({ suspense }: MorningCheck): Item[] =>
  suspense.map(({ currency, cases, amount, oldestSeconds }) => ({
    key: `suspense ${currency}`,
    icon: 'suspense',
    fact: `${moneyText(amount, currency)} in suspense`,
    detail: `${counted(cases, 'case')}, oldest ${ageText(oldestSeconds)}`,
    link: { to: '/operator/suspense', word: 'Clear' },
  }))

const doubtsOf = ({ doubts }: MorningCheck): Item[] =>
  doubts.map(({ doubt, summary, payments, oldestSeconds }) => ({
    key: `doubt ${doubt}`,
    icon: 'doubt',
    fact: `${counted(payments, 'payment')}: ${summary}`,
    detail: `oldest ${ageText(oldestSeconds)}; open one in the list to decide`,
  }))

const floatsOf = ({ lowFloats }: MorningCheck): Item[] =>
  lowFloats.map(({ provider, country, currency, amount }) => ({
    key: `float ${provider} ${country} ${currency}`,
    icon: 'warn',
    fact: `Float at ${providerText(provider)} ${country} is below its threshold`,
    detail: `${moneyText(amount, currency)} left; top up at the provider, then record it below`,
  }))
