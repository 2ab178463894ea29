import type { TestContext } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { createPlatformAccounts, ensureWallets, type PlatformKind } from '../ledger/accounts.ts'
import type { Movement } from '../ledger/books.ts'
import { type Database, openDatabase } from '../platform/db.ts'
import { newId, newTransactionId } from '../platform/ids.ts'
import { Secret } from '../platform/secret.ts'
import { ask } from './malipo.ts'
import { createPoster } from './poster.ts'

/** The ledger on the test file's database, without the rest of the service. */
export interface TestLedger {
  readonly db: Database
  readonly poster: ReturnType<typeof createPoster>
  /** New KES wallets, each with these funds. */
  wallets(count: number, funds?: bigint): Promise<string[]>
  account(kind: PlatformKind, currency?: string): Promise<string>
  ask: <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>
}

const newTransaction = () => newTransactionId(Date.now(), 0)

/** A movement of KES. Fields that a test does not set do not matter to it. */
export function movement(over: Partial<Movement> & { kind: Movement['kind'] }): Movement {
  return {
    event: 'test',
    transaction_id: newTransaction(),
    number: 0,
    currency: 'KES',
    amount: 100n,
    ...over,
  } as Movement
}

export function openTestDatabase(url: string): Database {
  return openDatabase({
    url: new Secret(url),
    connectionsMax: 10,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  })
}

export async function testLedger(t: TestContext): Promise<TestLedger> {
  const { loginUrl, superuserUrl } = await testDatabase()
  const db = openTestDatabase(loginUrl)
  t.after(() => db.close())
  const accounts = createPlatformAccounts(db.write, 0)
  const poster = createPoster(db.write)
  const account: TestLedger['account'] = (kind, currency = 'KES') => accounts.idOf({ env: 'sandbox', kind, currency })
  return {
    db,
    poster,
    account,
    ask: (text, values) => ask(superuserUrl, text, values),
    wallets: async (count, funds = 0n) => {
      const merchant_id = newId(Date.now(), 0)
      await ask(
        superuserUrl,
        `insert into merchants (id, name, email, first_name, last_name, home_country) values ($1, 'Duka', 'a@b', 'A', 'O', 'KE')`,
        [merchant_id],
      )
      const letter = (index: number) => String.fromCharCode(65 + (index % 26))
      const scopes = Array.from({ length: count }, (_, index) => ({
        merchant_id,
        env: 'sandbox' as const,
        currency: `${letter(index / 676)}ES`,
        country: letter(Math.floor(index / 26)) + letter(index),
      }))
      const ids = await db.write.batch(1000, (tx) => ensureWallets(tx, 0, scopes))
      const treasury = await account('treasury')
      const fill = (id: string) =>
        poster.submit({
          wallets: [id],
          movements: [movement({ kind: 'transfer', debit_account: treasury, credit_account: id, amount: funds })],
        })
      if (funds > 0n) await Promise.all(ids.map(fill))
      return ids
    },
  }
}
