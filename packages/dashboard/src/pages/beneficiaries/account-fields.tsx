import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Place } from '../../api/place.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { AccountDraft } from './account-draft.ts'
import { banksQuery, branchesQuery, countriesQuery, operatorsQuery } from './reference-queries.ts'

interface AccountFieldsProps {
  readonly place: Place
  readonly draft: AccountDraft
  readonly onChange: (draft: AccountDraft) => void
  /** The server's words for a field, by its name in the request. */
  readonly problemOf?: (field: string) => string | undefined
}

const otherRails = { bank: 'Bank Account', paybill: 'Paybill', till: 'Till' } as const

/** Country, operator or bank, number and name. */
export function AccountFields({ place, draft, onChange, problemOf = () => undefined }: AccountFieldsProps) {
  const countries = usePayableCountries(place)
  const set = (change: Partial<AccountDraft>) => onChange({ ...draft, ...change })
  return (
    <div className="grid gap-3.5">
      <div className="grid gap-3 phone:grid-cols-3">
        <SelectField
          label="Country"
          onChange={({ target }) => {
            const found = countries.find(({ iso2 }) => iso2 === target.value)
            set({ country: target.value, currency: found?.currency.code ?? '', destination: 'MoMo', code: '' })
          }}
          options={[
            { value: '', word: 'Choose a country' },
            ...countries.map(({ iso2, name }) => ({ value: iso2, word: name })),
          ]}
          problem={problemOf('country') ?? problemOf('currency')}
          value={draft.country}
        />
        <RailField draft={draft} onChange={set} place={place} problem={problemOf('destination')} />
        <TextField
          inputMode={draft.destination === 'MoMo' ? 'tel' : 'text'}
          label={numberLabels[draft.destination]}
          onChange={({ target }) => set({ accountNumber: target.value })}
          placeholder={draft.destination === 'MoMo' ? `${dialingOf(countries, draft.country)}…` : undefined}
          problem={problemOf('payoutMethod.accountNumber')}
          value={draft.accountNumber}
        />
      </div>
      {draft.destination === 'Bank Account' && (
        <BankFields draft={draft} onChange={set} place={place} problem={problemOf('payoutMethod.code')} />
      )}
      {draft.destination === 'Paybill' && (
        <TextField
          inputMode="numeric"
          label="Paybill number of the business"
          onChange={({ target }) => set({ businessNumber: target.value })}
          problem={problemOf('payoutMethod.businessNumber')}
          value={draft.businessNumber}
        />
      )}
      <TextField
        label="Name of the account holder"
        maxLength={100}
        onChange={({ target }) => set({ accountName: target.value })}
        problem={problemOf('payoutMethod.accountName')}
        value={draft.accountName}
      />
    </div>
  )
}

const numberLabels = {
  MoMo: 'Phone number',
  'Bank Account': 'Account number',
  Paybill: 'Your account with the business',
  Till: 'Till number',
} as const

type Country = {
  readonly iso2: string
  readonly name: string
  readonly dialing_code: string
  readonly currency: { readonly code: string }
}

const dialingOf = (countries: readonly Country[], iso2: string) =>
  countries.find((country) => country.iso2 === iso2)?.dialing_code ?? '+'

/** Countries with an operator or a bank. */
function usePayableCountries(place: Place): readonly Country[] {
  const { data: countries } = useQuery(countriesQuery(place))
  const { data: operators } = useQuery(operatorsQuery(place))
  const { data: banks } = useQuery(banksQuery(place))
  return useMemo(() => {
    const served = new Set([...(operators ?? []), ...(banks ?? [])].map(({ country }) => country))
    return (countries ?? []).filter(({ iso2 }) => served.has(iso2)).toSorted((a, b) => a.name.localeCompare(b.name))
  }, [countries, operators, banks])
}

interface PartProps {
  readonly place: Place
  readonly draft: AccountDraft
  readonly onChange: (change: Partial<AccountDraft>) => void
  readonly problem: string | undefined
}

/** One choice for all kinds: each operator by name, a bank, and the tills of Kenya. */
function RailField({ place, draft, onChange, problem }: PartProps) {
  const { data: operators = [] } = useQuery(operatorsQuery(place))
  const { data: banks = [] } = useQuery(banksQuery(place))
  const here = operators.filter(({ country }) => country === draft.country)
  const options = [
    { value: '', word: draft.country === '' ? 'Choose a country first' : 'Choose' },
    ...here.map(({ id, name, currency, status }) => ({
      value: `${id} ${currency}`,
      word: `${name}${currency === draft.currency ? '' : `, ${currency}`}${stateWords[status] ?? ''}`,
    })),
    ...(banks.some(({ country }) => country === draft.country) ? [{ value: 'bank', word: 'Bank account' }] : []),
    ...(draft.country === 'KE'
      ? [
          { value: 'paybill', word: 'Paybill' },
          { value: 'till', word: 'Till' },
        ]
      : []),
  ]
  const choose = (value: string) => {
    const other = otherRails[value as keyof typeof otherRails]
    const [code = '', currency = draft.currency] = value.split(' ')
    onChange(
      other
        ? { destination: other, code: '', branchCode: '' }
        : { destination: 'MoMo', code, currency, branchCode: '' },
    )
  }
  return (
    <SelectField
      disabled={draft.country === ''}
      label="Destination"
      onChange={({ target }) => choose(target.value)}
      options={options}
      problem={problem}
      value={railValue(draft)}
    />
  )
}

const stateWords: Readonly<Record<string, string>> = { DEGRADED: ' (payments wait)', UNAVAILABLE: ' (not available)' }

function railValue({ destination, code, currency }: AccountDraft): string {
  const other = Object.entries(otherRails).find(([, name]) => name === destination)
  if (other) return other[0]
  return code === '' ? '' : `${code} ${currency}`
}

function BankFields({ place, draft, onChange, problem }: PartProps) {
  const { data: banks = [] } = useQuery(banksQuery(place))
  const here = banks.filter(({ country }) => country === draft.country)
  const bank = here.find(({ code, currency }) => code === draft.code && currency === draft.currency)
  const { data: branches = [] } = useQuery({
    ...branchesQuery(place, bank?.id ?? 0),
    enabled: bank?.hasBranches === true,
  })
  const choose = (value: string) => {
    const [code = '', currency = draft.currency] = value.split(' ')
    onChange({ code, currency, branchCode: '' })
  }
  return (
    <div className="grid gap-3 phone:grid-cols-2">
      <SelectField
        label="Bank"
        onChange={({ target }) => choose(target.value)}
        options={[
          { value: '', word: 'Choose a bank' },
          ...here.map(({ code, name, currency }) => ({ value: `${code} ${currency}`, word: name })),
        ]}
        problem={problem}
        value={draft.code === '' ? '' : `${draft.code} ${draft.currency}`}
      />
      {bank?.hasBranches && (
        <SelectField
          label="Branch"
          onChange={({ target }) => onChange({ branchCode: target.value })}
          options={[
            { value: '', word: 'Choose a branch' },
            ...branches.map(({ branch_code, branch_name }) => ({ value: branch_code, word: branch_name })),
          ]}
          value={draft.branchCode}
        />
      )}
    </div>
  )
}

/** The operator or bank of an account, as people call it. */
export function useRailName(place: Place): (account: Pick<AccountDraft, 'destination' | 'code' | 'country'>) => string {
  const { data: operators = [] } = useQuery(operatorsQuery(place))
  const { data: banks = [] } = useQuery(banksQuery(place))
  return ({ destination, code, country }) => {
    if (destination === 'MoMo') return operators.find(({ id }) => id === code)?.name ?? 'Mobile money'
    if (destination !== 'Bank Account') return destination
    return banks.find((bank) => bank.code === code && bank.country === country)?.name ?? 'Bank'
  }
}
