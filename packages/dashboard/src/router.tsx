import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import type { Environment } from './api/place.ts'
import { Frame } from './frame/frame.tsx'
import { LoadingPage } from './frame/loading-page.tsx'
import { readDeveloperSearch } from './pages/developers/developers-search.ts'
import { readOperatorSearch } from './pages/operator/search.ts'
import { readPaymentFilters } from './pages/payments/filters.ts'
import { readSettingsSearch } from './pages/settings/settings-search.ts'
import { readTexts } from './search.ts'
import { firstPath, meQuery } from './session.ts'

/** Not in the shell, but loaded soon after it: without the server they could not be loaded when they are needed. */
const ErrorPage = lazyRouteComponent(() => import('./frame/error-page.tsx'), 'ErrorPage')
const NotFoundPage = lazyRouteComponent(() => import('./frame/not-found-page.tsx'), 'NotFoundPage')
const soonMs = 2000
setTimeout(() => [ErrorPage, NotFoundPage].map((page) => page.preload?.()), soonMs)

interface RouterContext {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context }) => ({ me: await context.queries.ensureQueryData(meQuery) }),
  component: Frame,
})

/** A link of `npm run dev` starts in the sandbox, where the data of a development stack are. */
const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ context, location }) => {
    if (location.hash !== 'sandbox') throw redirect({ to: firstPath(context.me, 'live') })
    const to = firstPath(context.me, 'sandbox')
    throw redirect({ to, search: (to === '/operator' ? { env: 'sandbox' } : {}) as never })
  },
})

const isEnvironment = (text: string): text is Environment => text === 'live' || text === 'sandbox'

/** Everything of one merchant in one environment. */
const merchant = createRoute({
  getParentRoute: () => root,
  path: '/m/$merchantId/$env',
  params: {
    parse: ({ merchantId, env }) => {
      if (!isEnvironment(env)) throw notFound()
      return { merchantId, env }
    },
    stringify: (params) => params,
  },
})

const home = createRoute({
  getParentRoute: () => merchant,
  path: '/',
  validateSearch: readTexts('currency'),
  component: lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
})

const payments = createRoute({
  getParentRoute: () => merchant,
  path: '/payments',
  validateSearch: readPaymentFilters,
  component: lazyRouteComponent(() => import('./pages/payments/payments-page.tsx'), 'PaymentsPage'),
})

const payment = createRoute({
  getParentRoute: () => merchant,
  path: '/payments/$transactionId',
  component: lazyRouteComponent(() => import('./pages/payment/payment-page.tsx'), 'PaymentPage'),
})

const approvals = createRoute({
  getParentRoute: () => merchant,
  path: '/approvals',
  validateSearch: readTexts('open'),
  component: lazyRouteComponent(() => import('./pages/approvals/approvals-page.tsx'), 'ApprovalsPage'),
})

const developers = createRoute({
  getParentRoute: () => merchant,
  path: '/developers',
  validateSearch: readDeveloperSearch,
  component: lazyRouteComponent(() => import('./pages/developers/developers-page.tsx'), 'DevelopersPage'),
})

const settings = createRoute({
  getParentRoute: () => merchant,
  path: '/settings',
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
})

const audit = createRoute({
  getParentRoute: () => merchant,
  path: '/audit',
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/audit-page.tsx'), 'AuditPage'),
})

/** Everything of the operator's staff, over all merchants, in the environment that the URL names. */
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  validateSearch: readOperatorSearch,
  search: { middlewares: [retainSearchParams(['env'])] },
  beforeLoad: ({ context }) => {
    if (context.me.operator.length === 0) throw notFound()
  },
})

const operations = createRoute({
  getParentRoute: () => operator,
  path: '/',
  validateSearch: readTexts('open'),
  component: lazyRouteComponent(() => import('./pages/operator/operations/operations-page.tsx'), 'OperationsPage'),
})

const operatorPayments = createRoute({
  getParentRoute: () => operator,
  path: '/payments',
  validateSearch: readTexts('open', 'show', 'type', 'currency', 'merchant', 'provider'),
  component: lazyRouteComponent(() => import('./pages/operator/payments/payments-page.tsx'), 'OperatorPaymentsPage'),
})

const merchants = createRoute({
  getParentRoute: () => operator,
  path: '/merchants',
  component: lazyRouteComponent(() => import('./pages/operator/merchants/merchants-page.tsx'), 'MerchantsPage'),
})

const operatorMerchant = createRoute({
  getParentRoute: () => operator,
  path: '/merchants/$merchant',
  component: lazyRouteComponent(() => import('./pages/operator/merchants/merchant-page.tsx'), 'MerchantPage'),
})

const ledger = createRoute({
  getParentRoute: () => operator,
  path: '/ledger',
  validateSearch: readTexts('kind', 'currency', 'merchant'),
  component: lazyRouteComponent(() => import('./pages/operator/ledger/ledger-page.tsx'), 'LedgerPage'),
})

const ledgerAccount = createRoute({
  getParentRoute: () => operator,
  path: '/ledger/accounts/$account',
  validateSearch: readTexts('open'),
  component: lazyRouteComponent(() => import('./pages/operator/ledger/account-page.tsx'), 'AccountPage'),
})

const suspense = createRoute({
  getParentRoute: () => operator,
  path: '/suspense',
  validateSearch: readTexts('open'),
  component: lazyRouteComponent(() => import('./pages/operator/suspense/suspense-page.tsx'), 'SuspensePage'),
})

const proposals = createRoute({
  getParentRoute: () => operator,
  path: '/proposals',
  validateSearch: readTexts('open', 'show'),
  component: lazyRouteComponent(() => import('./pages/operator/proposals/proposals-page.tsx'), 'ProposalsPage'),
})

const staff = createRoute({
  getParentRoute: () => operator,
  path: '/people',
  component: lazyRouteComponent(() => import('./pages/operator/people/people-page.tsx'), 'PeoplePage'),
})

const operatorAudit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  validateSearch: readTexts('open', 'actor', 'action', 'subject', 'merchant', 'result'),
  component: lazyRouteComponent(() => import('./pages/operator/audit/audit-page.tsx'), 'AuditPage'),
})

const operatorPages = [
  operations,
  operatorPayments,
  merchants,
  operatorMerchant,
  ledger,
  ledgerAccount,
  suspense,
  proposals,
  staff,
  operatorAudit,
] as const

const newPayout = createRoute({
  getParentRoute: () => merchant,
  path: '/payouts/new',
  validateSearch: readTexts('beneficiary'),
  component: lazyRouteComponent(() => import('./pages/payouts/new-payout-page.tsx'), 'NewPayoutPage'),
})

const bulk = createRoute({
  getParentRoute: () => merchant,
  path: '/payouts/bulk',
  component: lazyRouteComponent(() => import('./pages/bulk/bulk-page.tsx'), 'BulkPage'),
})

const beneficiaries = createRoute({
  getParentRoute: () => merchant,
  path: '/beneficiaries',
  component: lazyRouteComponent(() => import('./pages/beneficiaries/beneficiaries-page.tsx'), 'BeneficiariesPage'),
})

const balances = createRoute({
  getParentRoute: () => merchant,
  path: '/balances',
  validateSearch: readTexts('currency', 'country', 'startDate', 'endDate'),
  component: lazyRouteComponent(() => import('./pages/balances/balances-page.tsx'), 'BalancesPage'),
})

const merchantPages = [
  home,
  payments,
  payment,
  balances,
  newPayout,
  bulk,
  beneficiaries,
  approvals,
  developers,
  settings,
  audit,
] as const

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([index, merchant.addChildren(merchantPages), operator.addChildren(operatorPages)]),
    basepath: '/dashboard',
    search: { strict: true }, // What no page knows is dropped: a URL is written by anyone.
    context: { queries },
    defaultPendingMs: 150,
    defaultPendingComponent: LoadingPage,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
