import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { operatorApi } from '../../../api/operator-api.ts'
import { CopyText } from '../../../ui/copy-text.tsx'
import { countryText } from '../../../ui/country.ts'
import { Note } from '../../../ui/note.tsx'
import { Page } from '../../../ui/page.tsx'
import { Time } from '../../../ui/time.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { ReasonAction } from '../parts/reason-action.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { Currencies } from './currencies.tsx'
import { Fees } from './fees.tsx'
import { Keys } from './keys.tsx'
import { Limits } from './limits.tsx'
import { MerchantPeople } from './merchant-people.tsx'
import { MerchantState } from './merchant-state.tsx'
import { OpenPayments } from './open-payments.tsx'
import { merchantQuery, type Overview } from './queries.ts'
import { Wallets } from './wallets.tsx'

/** One merchant: its state, money, limits, fees, keys and people, in the chosen environment. */
export function MerchantPage() {
  const { merchant: id } = useParams({ from: '/operator/merchants/$merchant' })
  const { env } = useOperator()
  const { data: merchant, error } = useQuery(merchantQuery(id))
  if (!merchant)
    return (
      <Page title="Merchant">
        <QueryProblem error={error} />
      </Page>
    )
  return (
    <Page
      about={<MerchantState state={merchant.state} />}
      actions={<FreezeOrUnfreeze merchant={merchant} />}
      title={merchant.name}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-3">
        <Link className="text-brand" to="/operator/merchants">
          All merchants
        </Link>
        <CopyText text={merchant.id} what="Merchant" />
        <span>{merchant.email}</span>
        <span>{countryText(merchant.country)}</span>
        <span>
          since <Time at={merchant.createdAt} isDate />
        </span>
      </div>
      {merchant.frozenAt !== undefined && (
        <Note look="warn">
          Frozen since <Time at={merchant.frozenAt} />: none of its payments is sent. Those already sent are followed to
          their end.
        </Note>
      )}
      <div className="grid items-start gap-4 wide:grid-cols-2">
        <Wallets env={env} merchant={merchant} />
        <OpenPayments env={env} merchant={merchant} />
        <Limits env={env} merchant={merchant} />
        <Fees env={env} merchant={merchant} />
        <Keys env={env} merchant={merchant} />
        <Currencies env={env} merchant={merchant} />
        <MerchantPeople merchant={merchant} />
      </div>
    </Page>
  )
}

function FreezeOrUnfreeze({ merchant: { id, name, state } }: { readonly merchant: Overview }) {
  const path = { merchant: id }
  if (state === 'frozen')
    return (
      <ReasonAction
        done={`${name} is active again`}
        icon="play"
        permission="merchants:freeze"
        run={(reason) => operatorApi('postMerchantsMerchantUnfreeze', { path, body: { reason } })}
        title={`Unfreeze ${name}`}
        verb="Propose to unfreeze it"
        word="Unfreeze"
      >
        <p>Its payments that wait are sent at once. Another person must approve it.</p>
      </ReasonAction>
    )
  return (
    <ReasonAction
      done={`${name} is frozen`}
      icon="pause"
      look="danger"
      permission="merchants:freeze"
      run={(reason) => operatorApi('postMerchantsMerchantFreeze', { path, body: { reason } })}
      title={`Freeze ${name}`}
      verb="Freeze the merchant"
      word="Freeze"
    >
      <p>
        None of its payments is sent from now on, live and sandbox. New mobile money prompts, payouts and refunds are
        accepted and wait. Cards, bank transfers and mobile money that needs the customer’s code or page are refused. It
        happens at once.
      </p>
    </ReasonAction>
  )
}
