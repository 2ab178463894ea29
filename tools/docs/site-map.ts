/** The order of our documents: the site's menu, and the list in llms.txt. Every page is in it once. */

export interface Chapter {
  readonly label: string
  /** Paths in docs/, without `.md`, and keys of `besides`. */
  readonly pages: readonly string[]
}

/** Pages outside docs/, and their files. */
const besides: Readonly<Record<string, string>> = {
  'reference/sdk': 'packages/sdk/README.md',
  'project/architecture': 'ARCHITECTURE.md',
  'project/changelog': 'CHANGELOG.md',
  'project/contributing': 'CONTRIBUTING.md',
  'project/security': 'SECURITY.md',
}

export const sourceOf = (page: string) => besides[page] ?? `docs/${page}.md`

/** The page of a file, if it has one. */
export function pageOf(path: string): string | undefined {
  const [page] = Object.entries(besides).find(([, file]) => file === path) ?? []
  return page ?? /^docs\/(.*)\.md$/.exec(path)?.[1]
}

export const chapters: readonly Chapter[] = [
  { label: 'Start', pages: ['README', 'start', 'guides/dashboard'] },
  {
    label: 'Guides',
    pages: [
      'guides/charge-mobile-money',
      'guides/charge-card',
      'guides/charge-bank-transfer',
      'guides/refunds',
      'guides/pay-out',
      'guides/bulk',
      'guides/quotes-and-conversions',
      'guides/limits-and-approvals',
      'guides/people',
      'guides/webhooks',
      'guides/reconcile',
      'guides/find-and-export',
      'guides/errors',
      'guides/test',
      'guides/go-live',
    ],
  },
  {
    label: 'Concepts',
    pages: [
      'concepts/states',
      'concepts/money',
      'concepts/references',
      'concepts/doubt',
      'concepts/fees',
      'concepts/words',
    ],
  },
  {
    label: 'API reference',
    pages: [
      'reference/api/README',
      'reference/api/authentication',
      'reference/api/user',
      'reference/api/charges',
      'reference/api/payouts',
      'reference/api/quotes-and-conversions',
      'reference/api/refunds',
      'reference/api/external-accounts',
      'reference/api/transactions',
      'reference/api/wallets',
      'reference/api/exports',
      'reference/api/webhooks',
      'reference/api/reference-data',
      'reference/api/sandbox',
    ],
  },
  { label: 'SDK and command line', pages: ['reference/sdk', 'reference/cli'] },
  {
    label: 'Tables',
    pages: [
      'reference/errors',
      'reference/states',
      'reference/roles',
      'reference/events',
      'reference/currencies',
      'reference/coverage',
      'reference/sandbox',
    ],
  },
  {
    label: 'Operating',
    pages: [
      'operating/install',
      'reference/config',
      'operating/doctor',
      'operating/people',
      'operating/payments',
      'operating/finding',
      'operating/suspense',
      'operating/fees',
      'operating/ledger',
      'operating/audit',
      'operating/high-availability',
      'operating/alerts',
      'reference/metrics',
      'operating/slo',
      'operating/traces',
      'operating/runbooks/processes',
      'operating/runbooks/database',
      'operating/runbooks/nats',
      'operating/runbooks/payments',
      'operating/runbooks/providers',
      'operating/runbooks/money',
      'operating/runbooks/webhooks',
      'operating/runbooks/slo',
      'operating/backup',
      'operating/upgrade',
      'operating/move',
      'operating/secret-keys',
      'operating/retention',
      'operating/archive',
      'operating/guarantees',
      'operating/performance',
      'operating/scale',
      'operating/cells',
    ],
  },
  {
    label: 'Decisions',
    pages: [
      'decisions/README',
      'decisions/engines',
      'decisions/ledger-model',
      'decisions/group-commit',
      'decisions/work-lanes',
      'decisions/admission',
      'decisions/dashboard',
      'decisions/four-eyes',
      'decisions/merchant-people',
      'decisions/moving-merchants',
      'decisions/webhook-endpoints',
      'decisions/sign-in-links',
      'decisions/traces',
      'decisions/row-security',
      'decisions/search',
      'decisions/audit-chain',
      'decisions/retention',
      'decisions/archive',
      'decisions/doubt',
      'decisions/refunds',
      'decisions/ids-and-partitions',
      'decisions/cli-package',
      'decisions/dependencies',
    ],
  },
  {
    label: 'Project',
    pages: [
      'project/architecture',
      'project/contributing',
      'contributing/tests',
      'contributing/releasing',
      'project/changelog',
      'project/security',
    ],
  },
]

/** Chapters for API integrators, the content of llms-full.txt. */
export const integratorLabels: readonly string[] = [
  'Start',
  'Guides',
  'Concepts',
  'SDK and command line',
  'API reference',
  'Tables',
]
