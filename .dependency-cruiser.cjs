// Who may import whom inside packages/server/src. Lower ranks know nothing of higher ones; types may be looked up anywhere.
const ranks = require('./tools/checks/ranks.json').map(({ folders }) => folders)
const source = '^packages/server/src/'
const test = '\\.(test|suite)\\.ts$'
const at = (names) => `${source}(${names.join('|')})(/|\\.ts$)`

const rankRules = ranks.slice(0, -1).map((names, rank) => ({
  name: `rank-${rank}-looks-down-only`,
  comment: `${names.join(', ')} must not import a higher rank`,
  severity: 'error',
  from: { path: at(names), pathNot: test },
  to: { path: at(ranks.slice(rank + 1).flat()), dependencyTypesNot: ['type-only'] },
}))

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...rankRules,
    {
      name: 'use-cases-are-strangers',
      severity: 'error',
      from: { path: at(ranks[3]), pathNot: test },
      to: { path: at(ranks[3]), pathNot: `${source}$1/` },
    },
    {
      name: 'connectors-know-only-the-contract',
      severity: 'error',
      from: { path: `${source}providers/(?!sandbox/|conformance/)([^/]+)/` },
      to: {
        path: source,
        pathNot: `${source}(providers/($1/|contract\\.ts|refund-contract\\.ts|failure-codes\\.ts)|money/|platform/)`,
      },
    },
    {
      name: 'only-the-platform-knows-the-drivers',
      severity: 'error',
      from: { pathNot: `(${source}(platform|testing|dev-stack)/|^bench/)` },
      to: { path: 'node_modules/(pg|nats|@nats-io)/' },
    },
    {
      name: 'only-edges-know-http',
      severity: 'error',
      from: { path: source, pathNot: '(/http/|/routes\\.ts$|/main\\.ts$)' },
      to: { path: 'node_modules/fastify/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'clients-stay-outside-the-server',
      severity: 'error',
      from: { path: '^packages/(sdk|cli|dashboard|simulator)/', pathNot: `(${test}|/testing/)` },
      to: { path: '^packages/server/', pathNot: `${source}operate/operator\\.ts$` },
    },
    {
      name: 'sdk-has-no-dependencies',
      severity: 'error',
      from: { path: '^packages/sdk/src/', pathNot: test },
      to: { path: 'node_modules' },
    },
    {
      name: 'sdk-imports-no-other-package',
      severity: 'error',
      from: { path: '^packages/sdk/src/', pathNot: test },
      to: { path: '^(packages/(?!sdk/)|scripts/|tools/|bench/|test/)' },
    },
    {
      name: 'no-tests-from-code',
      severity: 'error',
      from: { pathNot: `(${test}|/testing/|^scripts/|^tools/|^bench/|^test/)` },
      to: { path: `(${test}|/testing/)` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' }, // Built of what is checked here.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
