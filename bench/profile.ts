import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../packages/server/src/testing/stack.ts'
import { type Bench, inPairs, rounded } from './bench.ts'
import { tokenOf } from './stack-token.ts'
import { requestsPerSecond } from './wrk.ts'

const load = { seconds: 4, connections: 32 }

/** `GET /users` of the running api process against a Fastify route that does nothing but the same query. */
export const profile: Bench = async (print) => {
  const stack = await startStack(mkdtempSync(join(tmpdir(), 'malipo-bench-')), { isKept: false })
  const bare = fork(join(import.meta.dirname, 'bare-profile.ts'), { env: { ...process.env, ...stack.exports } })
  try {
    const [{ url: bareUrl }] = (await once(bare, 'message')) as [{ url: string }]
    const { MALIPO_URL = '' } = stack.exports
    const token = await tokenOf(stack.exports)
    const ours = () => requestsPerSecond(`${MALIPO_URL}/api/b2b/users`, { ...load, token })
    const theirs = () => requestsPerSecond(bareUrl, load)
    await Promise.all([ours(), theirs()])
    const result = await inPairs(5, ours, theirs, print)
    print(`GET /users ${rounded(result.ours)}/s, a bare route ${rounded(result.theirs)}/s`)
    const figures = { usersPerSecond: rounded(result.ours), barePerSecond: rounded(result.theirs) }
    return { figures, ratios: { usersToBare: rounded(result.ratio) } }
  } finally {
    bare.kill()
    await stack.stop()
  }
}
