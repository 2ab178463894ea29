import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * Files that pages share, the first that fits a module. Without them each page loads up to 50 small files, one step after another: a
 * file names the next ones only when it has come. With them it loads its own file, then the shared ones, in two steps. A page loads
 * all of a shared file, so what only some pages need is in another one: `test/dashboard/sizes.test.ts` measures both.
 */
const shared: readonly (readonly [string, RegExp])[] = [
  [
    'ui',
    /src\/(ui\/(?!charts|virtual-table|use-width|json-block|detail|facts|secret-once|figures|segments|amount)|generated\/values|api\/caller)/,
  ],
  ['operator', /src\/(pages\/operator\/(parts|proposals)|generated\/operator|api\/operator|ui\/secret-once)/],
  [
    'merchant',
    /src\/(generated\/merchant-api|api\/(merchant-api|search-payments)|pages\/(use-place|payments\/|payment\/(payment-queries|webhook-records)|payouts\/payout-(queries|draft)|beneficiaries\/account-draft)|ui\/(amount|segments|figures))/,
  ],
  ['charts', /node_modules\/d3-|src\/ui\/(charts|use-width)/],
  ['list', /node_modules\/@tanstack\/(virtual-core|react-virtual)|src\/ui\/virtual-table/],
  ['payment', /src\/pages\/payment\//],
  ['operator-payment', /src\/pages\/operator\/(payments|operations|ledger)/],
  ['payouts', /src\/pages\/(payouts|beneficiaries|approvals)\//],
  ['developers', /src\/(pages\/(developers|settings)|ui\/(json|detail|facts)|generated\/access)/],
  ['others', /src\/(pages|ui|generated)/],
]

/** Groups before others take their modules first, with what those import. */
const groups = [
  // The shell in two files, its libraries and its own code: they compress better than many.
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|store|react-store))\//,
  },
  { name: 'shell', tags: ['$initial' as const] },
  // The parts of the frame that the shell loads later, on every page.
  {
    name: 'frame',
    test: /src\/(frame\/(live-state|rail-count|bottom-tabs|step-up-dialog)|ui\/toast|api\/people-api)/,
  },
  ...shared.map(([name, test]) => ({ name, test, minShareCount: 2 })),
].map((group, index, all) => ({ ...group, priority: all.length - index }))

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind()],
  resolve: {
    // Without the part for versions of React that lack `useSyncExternalStore`.
    alias: [
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: 'use-sync-external-store/with-selector.js',
      },
    ],
  },
  build: {
    // The policy of the page allows files of this server only: no data: URLs, and no script in the page.
    assetsInlineLimit: 0,
    manifest: true,
    // Lists of what each page loads would be part of the shell.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    target: 'es2024',
    rolldownOptions: {
      output: {
        // Short names without words: the shell lists those of all pages.
        chunkFileNames: 'assets/[hash:7].js',
        codeSplitting: { groups },
      },
    },
  },
})
