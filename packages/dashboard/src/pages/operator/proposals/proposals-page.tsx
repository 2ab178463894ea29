import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { operatorApi } from '../../../api/operator-api.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Money } from '../../../ui/money.tsx'
import { Page } from '../../../ui/page.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Time } from '../../../ui/time.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey, useOperator } from '../parts/use-operator.ts'
import { shortText } from '../parts/words.ts'
import type { Proposal } from './approver.ts'
import { ProposalBadge, ProposalCard } from './proposal-card.tsx'

const pageSize = 50

const proposalsQuery = (isOpenOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: [operatorKey, 'proposals', isOpenOnly],
    initialPageParam: undefined as string | undefined,
    refetchInterval: 15_000,
    queryFn: async ({ pageParam: before, signal }) =>
      (await operatorApi('getProposals', { query: { isOpenOnly, limit: pageSize, before }, signal })).data,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.proposalId),
  })

const tabs = [
  { name: 'open', word: 'To decide' },
  { name: 'all', word: 'All' },
] as const

/** What one person proposed and another must decide. */
export function ProposalsPage() {
  const { show, open } = useSearch({ from: '/operator/proposals' })
  const navigate = useNavigate({ from: '/operator/proposals' })
  const { env } = useOperator()
  const tab = show === 'all' ? 'all' : 'open'
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(proposalsQuery(tab === 'open'))
  const proposals = data?.pages.flat().filter((each) => (each.env ?? env) === env)
  const chosen = proposals?.find(({ proposalId }) => proposalId === open) ?? proposals?.[0]
  return (
    <Page about="One person proposes, another decides" title="Proposals">
      <Tabs
        label="Proposals"
        onOpen={(name) => void navigate({ search: name === 'all' ? { show: 'all' } : {} })}
        open={tab}
        tabs={tabs}
      >
        <QueryProblem error={error} />
        {proposals && !chosen && (
          <Empty title={tab === 'open' ? 'Nothing waits for a decision' : 'Nothing has been proposed'}>
            Resolving a live payment, clearing suspense, pausing a live provider, fees, limits and keys become proposals
            here.
          </Empty>
        )}
        {proposals && chosen && (
          <div className="grid items-start gap-4 pt-4 wide:grid-cols-[minmax(0,1fr)_minmax(0,460px)]">
            <div className="grid gap-3">
              <Inbox
                chosen={chosen.proposalId}
                onChoose={(proposalId) =>
                  void navigate({ search: (before) => ({ ...before, open: proposalId }), replace: true })
                }
                proposals={proposals}
              />
              {hasNextPage && (
                <div>
                  <Button onClick={() => void fetchNextPage()}>Show older proposals</Button>
                </div>
              )}
            </div>
            <Card
              actions={<ProposalBadge state={chosen.state} />}
              className="shadow-raised max-wide:order-first"
              title={shortText(chosen.summary)}
            >
              <div className="grid gap-3">
                <CopyText text={chosen.proposalId} what="Proposal" />
                <ProposalCard key={chosen.proposalId} proposal={chosen} />
              </div>
            </Card>
          </div>
        )}
      </Tabs>
    </Page>
  )
}

interface InboxProps {
  readonly proposals: readonly Proposal[]
  readonly chosen: string
  readonly onChoose: (proposalId: string) => void
}

function Inbox({ proposals, chosen, onChoose }: InboxProps) {
  return (
    <ul className="overflow-hidden rounded-card border border-line">
      {proposals.map((proposal) => (
        <li className="border-b border-line last:border-0" key={proposal.proposalId}>
          <button
            aria-current={proposal.proposalId === chosen ? 'true' : undefined}
            className={`grid w-full grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 px-4 py-3 text-left hover:bg-hover ${proposal.proposalId === chosen ? 'bg-selected shadow-[inset_2px_0_0_var(--brand)]' : ''}`}
            onClick={() => onChoose(proposal.proposalId)}
            type="button"
          >
            <b className="font-semibold break-words">{shortText(proposal.summary)}</b>
            {proposal.amount !== undefined && proposal.currency !== undefined ? (
              <Money amount={proposal.amount} currency={proposal.currency} />
            ) : (
              <span />
            )}
            <span className="text-xs text-ink-3">
              {proposal.proposedBy}, <Time at={proposal.createdAt} isRelative />
            </span>
            <span className="text-right">
              <ProposalBadge state={proposal.state} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
