import { randomBytes } from 'node:crypto'
import { loadOperatorConfig } from '../config.ts'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { createWriter } from '../ledger/chain.ts'
import { openBell } from '../platform/bell.ts'
import { openDatabase } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import { type MigrationState, migrate, migrationStates } from '../platform/migrate.ts'
import { createVault } from '../platform/seal.ts'
import { createPostings, type Desk } from './desk.ts'
import { create as createKey, end, type KeyOrder, type KeyView, listOf, type NewPair, rotate } from './keys.ts'
import { type CheckOrder, type CheckReport, check, show } from './ledger.ts'
import { create as createMerchant, freeze, type MerchantOrder, type MerchantView, page, unfreeze } from './merchants.ts'
import { adjustFloat, type FloatAdjustment, type Funding, fundWallet, type Posted } from './money.ts'

/** Everything an operator can do from outside a running process: the one way in for the command line. */
export interface Operator {
  readonly merchants: {
    create(order: MerchantOrder): Promise<MerchantView>
    list(page: { after?: string; limit: number }): Promise<MerchantView[]>
    freeze(id: string, reason: string): Promise<MerchantView>
    unfreeze(id: string, reason: string): Promise<MerchantView>
  }
  readonly keys: {
    create(merchantId: string, order: KeyOrder): Promise<NewPair>
    rotate(publicKey: string): Promise<NewPair>
    revoke(publicKey: string, reason: string): Promise<void>
    list(merchantId: string): Promise<KeyView[]>
  }
  readonly wallets: {
    fund(merchantId: string, funding: Funding): Promise<Posted>
  }
  readonly floats: {
    adjust(adjustment: FloatAdjustment): Promise<Posted>
  }
  readonly ledger: {
    check(order: Omit<CheckOrder, 'sealsPath'>): Promise<CheckReport>
    show(transactionId: string): Promise<string>
  }
  readonly database: {
    /** Applies what is pending and tells what it was. */
    migrate(): Promise<string[]>
    status(): Promise<MigrationState[]>
  }
  close(): Promise<void>
}

export function openOperator(variables: Readonly<Record<string, string | undefined>>, actor: string): Operator {
  const config = loadOperatorConfig(variables)
  const log = createLog({ level: 'error', write: (line) => void process.stderr.write(line) })
  const db = openDatabase({
    url: config.databaseUrl,
    connectionsMax: 2,
    statementTimeoutMs: 60_000,
    onError: (err) => log.warn({ err }, 'an idle database connection broke'),
  })
  const desk: Desk = {
    db,
    bell: openBell({ url: config.natsUrl, log, cell: config.cell }),
    vault: createVault(config.secretKeys),
    cell: config.cell,
    actor,
    platformAccounts: createPlatformAccounts(db.write, config.cell),
    writer: createWriter(),
    postings: createPostings(db.write),
  }
  const ownerUrl = config.databaseOwnerUrl ?? config.databaseUrl
  return {
    merchants: {
      create: (order) => createMerchant(desk, order),
      list: (wanted) => page(desk, wanted),
      freeze: (id, reason) => freeze(desk, id, reason),
      unfreeze: (id, reason) => unfreeze(desk, id, reason),
    },
    keys: {
      create: (merchantId, order) => createKey(desk, merchantId, order),
      rotate: (publicKey) => rotate(desk, publicKey),
      revoke: (publicKey, reason) => end(desk, publicKey, reason),
      list: (merchantId) => listOf(desk, merchantId),
    },
    wallets: { fund: (merchantId, funding) => fundWallet(desk, merchantId, funding) },
    floats: { adjust: (adjustment) => adjustFloat(desk, adjustment) },
    ledger: {
      check: (order) => check(desk, { ...order, sealsPath: config.sealsPath }),
      show: (transactionId) => show(desk, transactionId),
    },
    database: { migrate: () => migrate(ownerUrl), status: () => migrationStates(ownerUrl) },
    close: async () => {
      await desk.bell.close()
      await desk.db.close()
    },
  }
}

/** Fresh keys for the two settings that need them, named by the month so that a later one can be told apart. */
export function makeSecrets(now: Date): Record<'MALIPO_TOKEN_KEYS' | 'MALIPO_SECRET_KEYS', string> {
  const key = () => `${now.toISOString().slice(0, 7)}:${randomBytes(32).toString('base64url')}`
  return { MALIPO_TOKEN_KEYS: key(), MALIPO_SECRET_KEYS: key() }
}
