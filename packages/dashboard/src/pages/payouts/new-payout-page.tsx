import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Page } from '../../ui/page.tsx'
import { useAction } from '../../ui/use-action.ts'
import { draftOf } from '../beneficiaries/account-draft.ts'
import { useRailName } from '../beneficiaries/account-fields.tsx'
import { beneficiariesKey } from '../beneficiaries/beneficiaries-query.ts'
import { needsDecision, useNameCheck } from '../beneficiaries/name-check.tsx'
import { AmountCard } from './amount-card.tsx'
import { BeneficiaryCard } from './beneficiary-card.tsx'
import { ConfirmCard } from './confirm-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import { emptyPayout, type PayoutDraft, walletOf } from './payout-draft.ts'
import { PayoutMade } from './payout-made.tsx'
import { controlsQuery, walletsQuery } from './payout-queries.ts'
import { PayoutWays } from './payout-ways.tsx'
import { QuoteCard } from './quote-card.tsx'
import { usePayoutCheck } from './use-payout-check.ts'

/** Pays one beneficiary, by a price that the server holds. */
export function NewPayoutPage() {
  const place = useParams({ strict: false }) as Place
  const may = permissionsIn(useMe(), place)
  const [made, setMade] = useState<string>()
  if (!may.has('payouts:create')) return <Forbidden permission="payouts:create" title="New payout" />
  if (made !== undefined) return <PayoutMade onAnother={() => setMade(undefined)} place={place} transactionId={made} />
  return <PayoutForm onMade={setMade} place={place} />
}

function PayoutForm({ place, onMade }: { readonly place: Place; readonly onMade: (transactionId: string) => void }) {
  const [draft, setDraft] = useState(emptyPayout)
  useBeneficiaryInUrl(place, setDraft)
  const { data: user } = useQuery(walletsQuery(place))
  const { data: controls } = useQuery(controlsQuery(place))
  const wallets = user?.wallets ?? []
  const wallet = walletOf(draft, wallets)
  const pay = usePay(place, onMade)
  const check = usePayoutCheck(place, draft, wallet, pay.isUnanswered)
  const nameCheck = useNameCheck(place, draft.account)
  const rail = useRailName(place)(draft.account)
  const missing = missingIn(draft, needsDecision(nameCheck))
  const { quote } = check
  return (
    <Page actions={<PayoutWays place={place} />} title="New payout">
      <div className="grid items-start gap-4 wide:grid-cols-[7fr_5fr]">
        <div className="grid gap-4">
          <BeneficiaryCard
            draft={draft}
            nameCheck={nameCheck}
            onChange={setDraft}
            place={place}
            problemOf={check.problemOf}
          />
          <AmountCard check={check} draft={draft} onChange={setDraft} wallet={wallet} wallets={wallets} />
          <LimitsCard controls={controls} validation={check.validation} wallet={wallet} />
        </div>
        <div className="grid gap-4">
          <QuoteCard check={check} rail={rail} wallet={wallet} />
          <ConfirmCard
            check={check}
            error={pay.error ?? check.error}
            isBusy={pay.isBusy}
            key={`${draft.account.accountNumber} ${draft.amount}`}
            missing={missing}
            onConfirm={() => quote && pay.run({ quoteId: quote.quoteId, externalReference: draft.reference.trim() })}
          />
        </div>
      </div>
    </Page>
  )
}

function missingIn({ amount, reference, hasDecided, account }: PayoutDraft, isUndecided: boolean): string | undefined {
  if (account.accountNumber === '' || account.accountName === '') return 'Enter the beneficiary.'
  if (isUndecided && !hasDecided) return 'Decide about the name of the account holder.'
  if (amount === '') return 'Enter the amount.'
  return reference.trim() === '' ? 'Enter your reference.' : undefined
}

interface PayInput {
  readonly quoteId: string
  readonly externalReference: string
}

/** Makes the payout at the quoted price. Until a response comes, the same request is repeated under the same key. */
function usePay(place: Place, onMade: (transactionId: string) => void) {
  const queries = useQueryClient()
  const action = useAction({
    run: (body: PayInput, key) => merchantApi(place)('postFiatPayout', { body, key }),
    done: () => undefined,
    changes: [['user', place], ['payments', place], ['summary', place], beneficiariesKey(place)],
    onDone: ({ transactionId }) => onMade(transactionId),
  })
  const { error, isUnanswered } = action
  useEffect(() => {
    if (error && !isUnanswered) void queries.invalidateQueries({ queryKey: ['quote', place] })
  }, [error, isUnanswered, queries, place])
  return action
}

/** A link from the list of beneficiaries names one by its id. */
function useBeneficiaryInUrl(place: Place, setDraft: Dispatch<SetStateAction<PayoutDraft>>): void {
  const { beneficiary } = useSearch({ strict: false }) as { readonly beneficiary?: string }
  const { data } = useQuery({
    queryKey: ['beneficiary', place, beneficiary],
    enabled: beneficiary !== undefined,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const path = { externalAccountId: beneficiary ?? '' }
      return (await merchantApi(place)('getExternalAccountsExternalAccountId', { path, signal })).data
    },
  })
  useEffect(() => {
    // What the person has entered meanwhile stays.
    if (data) setDraft((before) => ({ ...before, externalAccountId: data.externalAccountId, account: draftOf(data) }))
  }, [data, setDraft])
}
