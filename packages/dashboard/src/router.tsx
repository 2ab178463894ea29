import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router'
import type { Environment } from './api/place.ts'
import { ErrorPage } from './frame/error-page.tsx'
import { Frame } from './frame/frame.tsx'
import { LoadingPage } from './frame/loading-page.tsx'
import { NotFoundPage } from './frame/not-found-page.tsx'
import { readDeveloperSearch } from './pages/developers/developers-search.ts'
import { readPaymentFilters } from './pages/payments/filters.ts'
import { readSettingsSearch } from './pages/settings/settings-search.ts'
import { firstPath, meQuery } from './session.ts'

interface RouterContext {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context }) => ({ me: await context.queries.ensureQueryData(meQuery) }),
  component: Frame,
})

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ context }) => {
    throw redirect({ to: firstPath(context.me) })
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
  component: lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
})

const payments = createRoute({
  getParentRoute: () => merchant,
  path: '/payments',
  validateSearch: readPaymentFilters,
  component: lazyRouteComponent(() => import('./pages/payments/payments-page.tsx'), 'PaymentsPage'),
})

const approvals = createRoute({
  getParentRoute: () => merchant,
  path: '/approvals',
  validateSearch: ({ open }: Record<string, unknown>): { open?: string } => (typeof open === 'string' ? { open } : {}),
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

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      index,
      merchant.addChildren([home, payments, approvals, developers, settings, audit]),
    ]),
    basepath: '/dashboard',
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
