import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { controlsQuery } from '../approvals/approvals-query.ts'
import { usePlace } from '../use-place.ts'
import {
  type Delivery,
  deliveriesQuery,
  type Endpoint,
  endpointsQuery,
  type KeyPair,
  keysQuery,
  type LoggedRequest,
  requestsQuery,
} from './developers-query.ts'

export interface Check {
  readonly title: string
  /** Undefined: not known yet, or the person may not see it. */
  readonly isDone: boolean | undefined
  /** What was seen, or what to do. */
  readonly about: string
}

/** What Malipo itself can see of an integration: tested in the sandbox, then set up in live. Nothing is ticked by hand. */
export function useGoLiveChecks(): { readonly checks: readonly Check[]; readonly done: number; readonly all: number } {
  const place = usePlace()
  const sandbox: Place = { ...place, env: 'sandbox' }
  const live: Place = { ...place, env: 'live' }
  const me = useMe()
  const mayRead = (where: Place, permission: string) => permissionsIn(me, where).has(permission)
  const { data: tested } = useQuery(deliveriesQuery(sandbox))
  const { data: log } = useInfiniteQuery(requestsQuery(sandbox, {}))
  const { data: keys } = useQuery({ ...keysQuery(live), enabled: mayRead(live, 'developers:write') })
  const { data: endpoints } = useQuery(endpointsQuery(live))
  const { data: controls } = useQuery({ ...controlsQuery(live), enabled: mayRead(live, 'payments:read') })
  const requests = log?.pages.flatMap(({ data }) => data)
  const checks = [
    ...sandboxChecks(tested, requests),
    ...liveChecks(keys, endpoints),
    ...(controls ? [approvalCheck(controls)] : []),
  ]
  return { checks, done: checks.filter(({ isDone }) => isDone).length, all: checks.length }
}

const known = <Value, Result>(value: Value | undefined, of: (value: Value) => Result): Result | undefined =>
  value === undefined ? undefined : of(value)

function sandboxChecks(
  tested: readonly Delivery[] | undefined,
  requests: readonly LoggedRequest[] | undefined,
): Check[] {
  return [
    {
      title: 'A sandbox payment was made over the API',
      isDone: known(requests, (some) => some.some(isAcceptedPayment)),
      about: 'A charge or payout in the request log, which keeps at least 7 days.',
    },
    {
      title: 'A webhook got a 2xx response',
      isDone: known(tested, (some) => some.some(({ status }) => status === 'SUCCESS')),
      about:
        'Your sandbox endpoint took a delivery. A server that checks the signature and responds with 2xx is ready.',
    },
    {
      title: 'No sandbox webhook fails',
      isDone: known(tested, (some) => some.length > 0 && some.every(({ status }) => status !== 'FAILED')),
      about: 'Of the last 200 deliveries. Failed ones are under Webhooks.',
    },
    {
      title: 'A retry got the same payment',
      isDone: known(requests, hasRetry),
      about: 'Send one payment twice with the same Idempotency-Key. Both responses name one payment.',
    },
  ]
}

const isAcceptedPayment = ({ method, path, status, transactionId }: LoggedRequest) =>
  method === 'POST' && path.startsWith('/api/') && status < 300 && transactionId !== undefined

/** Two accepted requests of one route that name one payment: the second was a retry. */
function hasRetry(requests: readonly LoggedRequest[]): boolean {
  const seen = new Set<string>()
  return requests.filter(isAcceptedPayment).some(({ path, transactionId }) => {
    const name = `${path} ${transactionId}`
    const isSecond = seen.has(name)
    seen.add(name)
    return isSecond
  })
}

function liveChecks(keys: readonly KeyPair[] | undefined, endpoints: readonly Endpoint[] | undefined): Check[] {
  const active = keys?.filter(({ state }) => state === 'active')
  return [
    {
      title: 'A live key pair exists',
      isDone: known(active, (some) => some.length > 0),
      about: 'Under Keys, in live.',
    },
    {
      title: 'Live keys are bound to addresses',
      isDone: known(active, (some) => some.length > 0 && some.every(({ addresses }) => addresses.length > 0)),
      about: 'Every active live pair has an allow-list, so that a stolen key is of no use elsewhere.',
    },
    {
      title: 'A live webhook endpoint is enabled',
      isDone: known(endpoints, (some) => some.some(({ isEnabled }) => isEnabled)),
      about: 'Under Webhooks, in live. Without one, results are only found by asking.',
    },
    {
      title: 'No live endpoint fails',
      isDone: known(endpoints, (some) => some.length > 0 && some.every(({ health }) => health.status === 'healthy')),
      about: 'Needs a live endpoint that gets its deliveries.',
    },
  ]
}

type Controls = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof controlsQuery>['queryFn']>>>>

const approvalCheck = ({ currencies, bulkNeedsApproval, newBeneficiariesNeedApproval }: Controls): Check => ({
  title: 'Large payouts need a second person',
  isDone:
    bulkNeedsApproval ||
    newBeneficiariesNeedApproval ||
    currencies.some(({ approvalAbove }) => approvalAbove !== undefined),
  about: 'An approval rule of live, in Settings, Payout controls.',
})
