import { type Bearers, createBearers } from './auth/bearers.ts'
import { createGuesses, type Guesses } from './auth/guesses.ts'
import { createRevocations, type Revocations } from './auth/revocations.ts'
import { createTokens, type Tokens } from './auth/tokens.ts'
import type { Config } from './config.ts'
import { type Bell, openBell } from './platform/bell.ts'
import { type Database, openDatabase } from './platform/db.ts'
import { createLog, type Log } from './platform/log.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { createVault, type Vault } from './platform/seal.ts'

/** What a process has to work with. Made once, in `main.ts` or in a test, and handed down. */
export interface Context {
  readonly config: Config
  readonly log: Log
  readonly db: Database
  readonly bell: Bell
  readonly vault: Vault
  readonly metrics: Metrics
  readonly tokens: Tokens
  readonly guesses: Guesses
  readonly revocations: Revocations
  readonly bearers: Bearers
  close(): Promise<void>
}

export function openContext(config: Config, log: Log = createLog({ level: config.logLevel })): Context {
  const db = openDatabase({
    url: config.databaseUrl,
    connectionsMax: config.databaseConnections,
    statementTimeoutMs: 5000,
    onError: (err) => log.warn({ err }, 'an idle database connection broke'),
  })
  const bell = openBell({ url: config.natsUrl, log, cell: config.cell })
  const tokens = createTokens(config.publicUrl, config.tokenKeys)
  const revocations = createRevocations(db.write, bell)
  return {
    config,
    log,
    db,
    bell,
    vault: createVault(config.secretKeys),
    metrics: createMetrics({ poolWaiting: db.waiting }),
    tokens,
    guesses: createGuesses(),
    revocations,
    bearers: createBearers(tokens, db.write, revocations),
    close: async () => {
      await bell.close()
      await db.close()
    },
  }
}
