import { createSecretKey, randomBytes } from 'node:crypto'
import type { Credential } from '../packages/server/src/auth/credentials.ts'
import type { Revocations } from '../packages/server/src/auth/revocations.ts'
import { createTokenCache } from '../packages/server/src/auth/token-cache.ts'
import { createTokens } from '../packages/server/src/auth/tokens.ts'
import type { Db } from '../packages/server/src/platform/db.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { type Bench, inPairs, rounded } from './bench.ts'

const tokensCount = 1000
const checks = 200_000
const uncachedChecks = 2000

/**
 * Cost of verifying a token for a request: cached, and for the first time. The database is a stub, so that only our own work
 * counts.
 */
export const tokens: Bench = async (print) => {
  const signer = createTokens('https://pay.example.com', [{ id: 'bench', key: createSecretKey(randomBytes(32)) }])
  const credential = {
    id: newId(Date.now(), 0),
    merchant_id: newId(Date.now(), 0),
    env: 'live',
    scopes: ['profile:read'],
  }
  const row = { ...credential, public_key: 'pk_live_bench', allowed_addresses: [] } as unknown as Credential
  const db: Db = { query: async <Row>() => [row] as Row[] }
  const revocations: Revocations = {
    isFresh: () => true,
    isRevoked: () => false,
    watch: () => ({ stop: async () => undefined }),
  }
  const made = await Promise.all(Array.from({ length: tokensCount }, () => sign(signer, row)))
  const remembered = createTokenCache(signer, db, revocations)
  for (const token of made) await remembered.of(token)

  const microseconds = async (count: number, check: (token: string) => Promise<unknown>) => {
    const startedAt = performance.now()
    for (let index = 0; index < count; index += 1) await check(made[index % tokensCount] ?? '')
    return ((performance.now() - startedAt) * 1000) / count
  }
  const cached = () => microseconds(checks, (token) => remembered.of(token))
  const first = () => microseconds(uncachedChecks, (token) => signer.verify(token))
  await cached()
  const { ours, theirs, ratio } = await inPairs(5, cached, first, print)
  print(`a cached token costs ${rounded(ours)} µs, a new one ${rounded(theirs)} µs`)
  return {
    figures: { rememberedMicroseconds: rounded(ours), newMicroseconds: rounded(theirs) },
    ratios: { rememberedToNew: rounded(ratio) },
  }
}

function sign(signer: ReturnType<typeof createTokens>, { merchant_id, env, id, scopes }: Credential): Promise<string> {
  const token_issued_at = new Date()
  const token_expires_at = new Date(Date.now() + 3_600_000)
  const bearer = { merchant_id, env, credential_id: id, scopes }
  return signer.sign(bearer, { token_id: newId(Date.now(), 0), token_issued_at, token_expires_at })
}
