import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { operatorApi } from '../../../api/operator-api.ts'
import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { Money } from '../../../ui/money.tsx'
import { Note } from '../../../ui/note.tsx'
import { Time } from '../../../ui/time.tsx'
import { Needs } from '../parts/needs.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey } from '../parts/use-operator.ts'
import { ageText, nameText, providerText, shortText, upperFirst } from '../parts/words.ts'
import { paymentQuery } from '../payments/queries.ts'
import { ProposalCard } from '../proposals/proposal-card.tsx'
import { Clear } from './clear.tsx'
import type { SuspenseCase } from './suspense-page.tsx'

/** One case: whose money it may be, and every way to clear it with the entries it makes. */
export function CaseCard({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { data: found, error } = useQuery({
    queryKey: [operatorKey, 'case', id],
    queryFn: async ({ signal }) => (await operatorApi('getSuspenseCaseId', { path: { caseId: id }, signal })).data,
  })
  return (
    <Card className="shadow-raised max-wide:order-first" onClose={onClose} title="Case">
      <QueryProblem error={error} />
      {found && <Body found={found} />}
    </Card>
  )
}

function Body({ found }: { readonly found: SuspenseCase }) {
  const { id, amount, currency, meaning, openedAt, ageSeconds, closedAt, outcome, clearedBy } = found
  const isMissing = amount.startsWith('-')
  return (
    <div className="grid gap-4">
      <Money amount={amount} className="text-2xl" currency={currency} />
      <Note look={closedAt === undefined ? 'warn' : 'ok'}>
        <p>
          {upperFirst(meaning)}.{' '}
          {isMissing ? 'Money is missing, and must be recovered.' : 'Money is left over, and belongs to someone.'}
        </p>
        {closedAt !== undefined && (
          <p>
            Cleared at <Time at={closedAt} />: {nameText(outcome ?? '')}.
          </p>
        )}
      </Note>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-2">
        <Fact name="Open since">
          <Time at={openedAt} /> ({ageText(ageSeconds)})
        </Fact>
        <Fact name="Provider">
          {providerText(found.provider)} {found.country}
        </Fact>
        {found.providerKey !== undefined && (
          <Fact name="Provider key">
            <CopyText text={found.providerKey} what="Provider key" />
          </Fact>
        )}
        <Fact name="Case">
          <CopyText text={id} what="Case" />
        </Fact>
        {clearedBy !== undefined && (
          <Fact name="Cleared by">
            <CopyText text={clearedBy} what="Payment" />
          </Fact>
        )}
      </dl>
      {found.transactionId !== undefined && <OfPayment id={found.transactionId} />}
      {closedAt === undefined && <Clear found={found} />}
      {closedAt === undefined && <Needs permission="payments:resolve" what="Clearing a case" />}
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-2xs text-ink-3">{name}</dt>
      <dd className="min-w-0 font-medium">{children}</dd>
    </div>
  )
}

/** The payment of the case, and what is proposed about it. */
function OfPayment({ id }: { readonly id: string }) {
  const { data: payment } = useQuery(paymentQuery(id))
  if (!payment) return null
  return (
    <>
      <Link className="font-medium text-brand" search={{ open: id, show: 'all' }} to="/operator/payments">
        {upperFirst(payment.type)} {payment.externalReference} of {payment.merchant.name}, {payment.state}
      </Link>
      {payment.proposals.map((proposal) => (
        <section className="grid gap-3 rounded-md border border-line p-4" key={proposal.proposalId}>
          <h3 className="font-semibold">{shortText(proposal.summary)}</h3>
          <ProposalCard proposal={proposal} />
        </section>
      ))}
    </>
  )
}
