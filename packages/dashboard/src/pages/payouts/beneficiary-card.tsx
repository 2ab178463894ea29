import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { Card } from '../../ui/card.tsx'
import { countryText } from '../../ui/country.ts'
import { CheckField, SelectField } from '../../ui/field.tsx'
import { draftOf, emptyAccount } from '../beneficiaries/account-draft.ts'
import { AccountFields, useRailName } from '../beneficiaries/account-fields.tsx'
import { beneficiariesQuery } from '../beneficiaries/beneficiaries-query.ts'
import { type NameCheck, NameCheckNote, needsDecision } from '../beneficiaries/name-check.tsx'
import type { PayoutDraft } from './payout-draft.ts'

interface BeneficiaryCardProps {
  readonly place: Place
  readonly draft: PayoutDraft
  readonly onChange: (draft: PayoutDraft) => void
  readonly nameCheck: NameCheck
  readonly problemOf: (field: string) => string | undefined
}

/** Who is paid: a saved beneficiary, or an account entered here. */
export function BeneficiaryCard({ place, draft, onChange, nameCheck, problemOf }: BeneficiaryCardProps) {
  const { data } = useQuery(beneficiariesQuery(place))
  const railName = useRailName(place)
  const saved = data?.data.filter(({ type }) => type === 'payout') ?? []
  const choose = (id: string) => {
    const chosen = saved.find(({ externalAccountId }) => externalAccountId === id)
    const account = chosen ? draftOf(chosen) : emptyAccount
    onChange({ ...draft, externalAccountId: chosen?.externalAccountId, account, wallet: '', hasDecided: false })
  }
  return (
    <Card actions={<AllBeneficiaries place={place} />} title="Beneficiary">
      <div className="grid gap-3.5">
        {saved.length > 0 && (
          <SelectField
            label="Pay to"
            onChange={({ target }) => choose(target.value)}
            options={[
              { value: '', word: 'An account that I enter here' },
              ...saved.map((account) => ({
                value: account.externalAccountId,
                word: `${account.payoutMethod.accountName}, ${railName(draftOf(account))} ${account.payoutMethod.accountNumber}`,
              })),
            ]}
            value={draft.externalAccountId ?? ''}
          />
        )}
        {draft.externalAccountId === undefined ? (
          <AccountFields
            draft={draft.account}
            onChange={(account) => onChange({ ...draft, account, hasDecided: false })}
            place={place}
            problemOf={problemOf}
          />
        ) : (
          <SavedAccount draft={draft} rail={railName(draft.account)} />
        )}
        <NameCheckNote accountName={draft.account.accountName} check={nameCheck} rail={railName(draft.account)} />
        {needsDecision(nameCheck) && (
          <CheckField
            isChecked={draft.hasDecided}
            label="I have checked with the owner: pay this account"
            onChange={(hasDecided) => onChange({ ...draft, hasDecided })}
          />
        )}
      </div>
    </Card>
  )
}

const AllBeneficiaries = ({ place }: { readonly place: Place }) => (
  <Link
    className="text-xs font-medium text-brand hover:underline"
    params={place}
    to="/m/$merchantId/$env/beneficiaries"
  >
    All beneficiaries
  </Link>
)

function SavedAccount({ draft: { account }, rail }: { readonly draft: PayoutDraft; readonly rail: string }) {
  const facts = [
    ['Name', account.accountName],
    [rail, account.accountNumber],
    ['Country', `${countryText(account.country)}, ${account.currency}`],
  ] as const
  return (
    <dl className="grid gap-3 phone:grid-cols-3">
      {facts.map(([name, value]) => (
        <div className="min-w-0" key={name}>
          <dt className="text-2xs text-ink-3">{name}</dt>
          <dd className="truncate font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
