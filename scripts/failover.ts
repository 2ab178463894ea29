/**
 * npm run failover -- [--case NAME] [--rate N]: three PostgreSQL under Patroni, each on its own machine, HAProxy, three NATS, two
 * api and two workers under load, while machines, networks and servers are lost. Needs root and the Debian packages patroni,
 * etcd-server, haproxy, postgresql, nats-server and iproute2.
 */
import { parseArgs } from 'node:util'
import { heading, isGood, runFailover, show } from '../test/failover/run.ts'

const { values } = parseArgs({
  options: { case: { type: 'string', multiple: true, default: [] }, rate: { type: 'string', default: '20' } },
})

const { results, ledger } = await runFailover(values.case, Number(values.rate), (line) => console.log(line))
console.log(['', ...heading, ...results.map(show), '', `ledger check: ${ledger}`].join('\n'))
process.exitCode = results.every(isGood) ? 0 : 1
process.exit()
