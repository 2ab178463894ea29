import { randomBytes } from 'node:crypto'
import type { Variables } from '../config/setting-sources.ts'
import { loadOperatorConfig } from '../config.ts'
import { createPlatformAccounts } from '../ledger/accounts.ts'
import { createWriter } from '../ledger/chain.ts'
import { breakGlass } from '../people/principal.ts'
import { openDatabase } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import { type Migrated, type MigrationState, migrate, migrationStates } from '../platform/migrate.ts'
import { createVault } from '../platform/seal.ts'
import { openWakeups } from '../platform/wakeups.ts'
import { type ArchiveCommands, archiveCommands } from './archive.ts'
import { type AuditCommands, auditCommands } from './audit.ts'
import { bindOperator, type LocalOperator } from './bind-operator.ts'
import { readCellRoutes, renderCellRoutes } from './cell-routes.ts'
import { type ConfigReport, checkConfig as checkConfiguration } from './config-check.ts'
import type { Finding } from './doctor/checks.ts'
import { examine as examineInstallation } from './doctor/examine.ts'
import { type CheckOrder, type CheckReport, check } from './ledger.ts'
import { createPostings, noConnectors, type OperatorContext, OperatorError, performAtOnce } from './operator-context.ts'
import { createRecentOutcomes } from './recent-outcomes.ts'
import { listSecretKeys, type Resealed, type ResealOrder, reseal, type SecretKeyView } from './secrets.ts'

export type { LocalOperator } from './bind-operator.ts'
export type { ConfigReport } from './config-check.ts'
export type { Finding } from './doctor/checks.ts'
export type { ProposalsWanted, ProposalView } from './proposals.ts'

/** What needs the database and the secret keys themselves, and break-glass: everything else, without a second person. */
export interface Operator extends LocalOperator {
  readonly ledger: LocalOperator['ledger'] & {
    check(order: Omit<CheckOrder, 'sealsPath'>): Promise<CheckReport>
  }
  /** Months of transfers in files. */
  readonly archive: ArchiveCommands
  readonly audit: AuditCommands
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

export function openOperator(variables: Variables, actor: string, open = openDatabase): Operator {
  const config = loadOperatorConfig(variables)
  if (/^(?:person|machine|cred)_/.test(actor))
    throw new OperatorError(
      `the account ${actor} of this machine looks like an id of the audit trail: use another account`,
    )
  const context = openOperatorContext(config, actor, open)
  const ownerUrl = config.databaseOwnerUrl ?? config.databaseUrl
  const bound = bindOperator(context)
  return {
    ...bound,
    ledger: { ...bound.ledger, check: (order) => check(context, { ...order, sealsPath: config.sealsPath }) },
    archive: archiveCommands(context, ownerUrl),
    audit: auditCommands(context, config.sealsPath),
    secrets: { list: () => listSecretKeys(context), reseal: (order = {}) => reseal(context, order) },
    database: { migrate: () => migrate(ownerUrl, config.cell), status: () => migrationStates(ownerUrl) },
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
    cell: config.cell,
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
    publicUrl: config.publicUrl,
    callbackDays: config.callbackDays,
    principal: breakGlass(actor),
    perform: performAtOnce,
    platformAccounts,
    writer: createWriter(),
    postings: createPostings(db.write),
    recent: createRecentOutcomes(db.write),
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
  // Cells that are set up on one day need different names.
  const name = `${now.toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}`
  const key = () => randomBytes(32).toString('base64url')
  return { MALIPO_TOKEN_KEYS: `${name}:${key()}`, MALIPO_SECRET_KEYS: `${name}:v2:${key()}` }
}

/** Checks an installation from outside. Works with invalid settings, and reports what is wrong with them. */
export function examine(variables: Variables): Promise<Finding[]> {
  return examineInstallation(variables)
}

/** Reads the settings as a process does at its start, and reports every problem. Connects to nothing and shows no secret. */
export function checkConfig(variables: Variables): ConfigReport {
  return checkConfiguration(variables)
}

/** HAProxy's files for the cells that the text lists, by name. They are read from this folder. */
export function renderCells(text: string, folder: string): Readonly<Record<string, string>> {
  return renderCellRoutes(readCellRoutes(text), folder)
}
