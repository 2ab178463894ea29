import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { readId } from '../packages/server/src/platform/ids.ts'
import { type Bench, inPairs, type Measured, merged, rounded } from './bench.ts'
import { merchantsOf, onSite, putLoad, tokensOf } from './site.ts'
import { requestsPerSecond } from './wrk.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 4)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const load = { seconds, connections: 32 }

/**
 * The most frequent reads of merchants, by wrk with 32 connections in a closed loop: the newest ten transactions, one transaction
 * with its timeline, and their own profile with its wallets. Compared with Fastify routes in a separate process that run the same
 * queries, with no token, no row security, no rate limit and no mapping of the rows.
 */
export const read: Bench = async (print) =>
  onSite({}, async ({ cell, servers }) => {
    const merchants = await merchantsOf(cell, 1, '')
    const { url } = await cell.start('api', 'api')
    const [token = ''] = await tokensOf(merchants, url)
    const { ids } = await putLoad(url, { tokens: [token], seconds: 1, connections: 32 })
    const one = ids[0] ?? ''
    const bare = fork(join(import.meta.dirname, 'bare-reads.ts'), {
      env: {
        ...process.env,
        DATABASE_URL: servers.superuserUrl,
        BENCH_OWNER: merchants[0]?.id,
        BENCH_TRANSACTION: readId('transaction', one),
      },
    })
    try {
      const [{ url: bareUrl }] = (await once(bare, 'message')) as [{ url: string }]
      const paths = {
        list: ['/transactions?limit=10', '/transactions'],
        single: [`/transactions/${one}`, '/transactions/one'],
        users: ['/users', '/users'],
      }
      const parts: Measured[] = []
      for (const [name, [ourPath, theirPath]] of Object.entries(paths)) {
        const ours = () => requestsPerSecond(`${url}/api/sandbox/b2b${ourPath}`, { ...load, authorization: token })
        const theirs = () => requestsPerSecond(`${bareUrl}${theirPath}`, load)
        print(`[${name}] requests a second, against a bare route`)
        for (const side of [ours, theirs]) await side()
        const result = await inPairs(rounds, ours, theirs, print)
        parts.push({
          figures: { [`${name}PerSecond`]: rounded(result.ours), [`${name}BarePerSecond`]: rounded(result.theirs) },
          ratios: { [name]: rounded(result.ratio) },
        })
      }
      return merged(parts)
    } finally {
      bare.kill()
    }
  })
