import { randomBytes } from 'node:crypto'
import { loadOperatorConfig } from '../config.ts'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { createWriter } from '../ledger/chain.ts'
import { openDatabase } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import { type Migrated, type MigrationState, migrate, migrationStates } from '../platform/migrate.ts'
import { createVault } from '../platform/seal.ts'
import { openWakeups } from '../platform/wakeups.ts'
import { type CallbackCommands, callbackCommands } from './callbacks.ts'
import { type ClearedCase, type Clearing, clearCase } from './clear-suspense.ts'
import { examine as examineInstallation, type Finding } from './doctor.ts'
import {
  type FeeListOrder,
  type FeeOrder,
  type FeeQuestion,
  type FeeQuote,
  type FeeRuleView,
  listFees,
  setFees,
  showFee,
} from './fees.ts'
import { create as createKey, end, type KeyOrder, type KeyView, listOf, type NewPair, rotate } from './keys.ts'
import { type CheckOrder, type CheckReport, check, show } from './ledger.ts'
import {
  type ManualResolution,
  type ResolvedPayment,
  type RetriedPayment,
  resolvePayment,
  retryPayment,
} from './manual-resolution.ts'
import { type CurrencyOrder, type MerchantCurrencies, setCurrencies, showCurrencies } from './merchant-currencies.ts'
import { create as createMerchant, freeze, type MerchantOrder, type MerchantView, page, unfreeze } from './merchants.ts'
import { adjustFloat, type FloatAdjustment, type Funding, fundWallet, type Posted } from './money.ts'
import { createPostings, type OperatorContext } from './operator-context.ts'
import { type ListedPayment, type ListOrder, listPayments, type PaymentView, showPayment } from './payments.ts'
import {
  type LaneOrder,
  type LaneView,
  type ProvidersView,
  pauseProvider,
  providersStatus,
  resumeProvider,
} from './providers.ts'
import { confirmRate, type DecidedRate, listRates, type RateListOrder, type RateView, rejectRate } from './rates.ts'
import { listSecretKeys, type Resealed, type ResealOrder, reseal, type SecretKeyView } from './secrets.ts'
import { type CasesWanted, type CaseView, listCases, showCase } from './suspense.ts'

export type { Finding } from './doctor.ts'

/** A command calls no provider. */
const noConnectors = { live: new Map(), sandbox: new Map() }

/** Everything an operator can do from outside a running process: the only entry point for the command line. */
export interface Operator {
  readonly merchants: {
    create(order: MerchantOrder): Promise<MerchantView>
    list(page: { after?: string; limit: number }): Promise<MerchantView[]>
    freeze(id: string, reason: string): Promise<MerchantView>
    unfreeze(id: string, reason: string): Promise<MerchantView>
    currencies(id: string): Promise<MerchantCurrencies[]>
    setCurrencies(id: string, order: CurrencyOrder): Promise<MerchantCurrencies>
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
  readonly fees: {
    set(order: FeeOrder): Promise<FeeRuleView[]>
    list(wanted: FeeListOrder): Promise<FeeRuleView[]>
    show(question: FeeQuestion): Promise<FeeQuote>
  }
  readonly payments: {
    list(wanted: ListOrder): Promise<ListedPayment[]>
    show(transactionId: string): Promise<PaymentView>
    resolve(transactionId: string, resolution: ManualResolution): Promise<ResolvedPayment>
    retry(transactionId: string, reason: string): Promise<RetriedPayment>
  }
  /** Money in suspense that waits for a person's decision. */
  readonly suspense: {
    list(wanted: CasesWanted): Promise<CaseView[]>
    show(caseId: string): Promise<CaseView>
    clear(caseId: string, clearing: Clearing): Promise<ClearedCase>
  }
  readonly callbacks: CallbackCommands
  readonly providers: {
    status(): Promise<ProvidersView>
    pause(provider: string, order: LaneOrder): Promise<LaneView>
    resume(provider: string, order: LaneOrder): Promise<LaneView>
  }
  readonly rates: {
    list(wanted: RateListOrder): Promise<RateView[]>
    confirm(id: string, reason: string): Promise<DecidedRate>
    reject(id: string, reason: string): Promise<DecidedRate>
  }
  readonly ledger: {
    check(order: Omit<CheckOrder, 'sealsPath'>): Promise<CheckReport>
    show(transactionId: string): Promise<string>
  }
  /** The keys that seal and hash values in the database. */
  readonly secrets: {
    list(): Promise<SecretKeyView[]>
    /** Moves every sealed value to the newest key while processes run. */
    reseal(order?: ResealOrder): Promise<Resealed>
  }
  readonly database: {
    /** Applies and returns the pending migrations. */
    migrate(): Promise<Migrated>
    status(): Promise<MigrationState[]>
  }
  close(): Promise<void>
}

type Variables = Readonly<Record<string, string | undefined>>

export function openOperator(variables: Variables, actor: string, open = openDatabase): Operator {
  const config = loadOperatorConfig(variables)
  const context = openOperatorContext(config, actor, open)
  const ownerUrl = config.databaseOwnerUrl ?? config.databaseUrl
  return {
    merchants: {
      create: (order) => createMerchant(context, order),
      list: (wanted) => page(context, wanted),
      freeze: (id, reason) => freeze(context, id, reason),
      unfreeze: (id, reason) => unfreeze(context, id, reason),
      currencies: (id) => showCurrencies(context, id),
      setCurrencies: (id, order) => setCurrencies(context, id, order),
    },
    keys: {
      create: (merchantId, order) => createKey(context, merchantId, order),
      rotate: (publicKey) => rotate(context, publicKey),
      revoke: (publicKey, reason) => end(context, publicKey, reason),
      list: (merchantId) => listOf(context, merchantId),
    },
    wallets: { fund: (merchantId, funding) => fundWallet(context, merchantId, funding) },
    floats: { adjust: (adjustment) => adjustFloat(context, adjustment) },
    fees: {
      set: (order) => setFees(context, order),
      list: (wanted) => listFees(context, wanted),
      show: (question) => showFee(context, question),
    },
    payments: {
      list: (wanted) => listPayments(context, wanted),
      show: (transactionId) => showPayment(context, transactionId),
      resolve: (transactionId, resolution) => resolvePayment(context, transactionId, resolution),
      retry: (transactionId, reason) => retryPayment(context, transactionId, reason),
    },
    suspense: {
      list: (wanted) => listCases(context, wanted),
      show: (caseId) => showCase(context, caseId),
      clear: (caseId, clearing) => clearCase(context, caseId, clearing),
    },
    callbacks: callbackCommands(context),
    providers: {
      status: () => providersStatus(context),
      pause: (provider, order) => pauseProvider(context, provider, order),
      resume: (provider, order) => resumeProvider(context, provider, order),
    },
    rates: {
      list: (wanted) => listRates(context, wanted),
      confirm: (id, reason) => confirmRate(context, id, reason),
      reject: (id, reason) => rejectRate(context, id, reason),
    },
    ledger: {
      check: (order) => check(context, { ...order, sealsPath: config.sealsPath }),
      show: (transactionId) => show(context, transactionId),
    },
    secrets: { list: () => listSecretKeys(context), reseal: (order = {}) => reseal(context, order) },
    database: { migrate: () => migrate(ownerUrl), status: () => migrationStates(ownerUrl) },
    close: async () => {
      await context.wakeups.close()
      await context.db.close()
    },
  }
}

/** Opens the dependencies of all commands for one person. */
function openOperatorContext(
  config: ReturnType<typeof loadOperatorConfig>,
  actor: string,
  open: typeof openDatabase,
): OperatorContext {
  const log = createLog({ level: 'error', write: (line) => void process.stderr.write(line) })
  const db = open({
    url: config.databaseUrl,
    connectionsMax: 2,
    statementTimeoutMs: 60_000,
    connectMs: 10_000, // A person waits for it, and there is nothing to fall back on.
    onError: (err) => log.warn({ err }, 'idle database connection failed'),
  })
  const platformAccounts = createPlatformAccounts(db.write, config.cell)
  const wakeups = openWakeups({ url: config.natsUrl?.reveal(), access: config, log, cell: config.cell })
  return {
    db,
    wakeups,
    vault: createVault(config.secretKeys),
    cell: config.cell,
    actor,
    platformAccounts,
    writer: createWriter(),
    postings: createPostings(db.write),
    resolving: {
      cell: config.cell,
      onMerchantEvents: () => wakeups.wake('webhooks'),
      log,
      accounts: platformAccounts,
      connectors: noConnectors,
      routing: { providersOf: () => [], isUsable: () => false },
    },
  }
}

/** New keys for the two settings that need them, named by the day to distinguish them from later ones. */
export function makeSecrets(now: Date): Record<'MALIPO_TOKEN_KEYS' | 'MALIPO_SECRET_KEYS', string> {
  const name = now.toISOString().slice(0, 10)
  const key = () => randomBytes(32).toString('base64url')
  return { MALIPO_TOKEN_KEYS: `${name}:${key()}`, MALIPO_SECRET_KEYS: `${name}:v2:${key()}` }
}

/** Checks an installation from outside. Works with invalid settings, and reports what is wrong with them. */
export function examine(variables: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  return examineInstallation(variables)
}
