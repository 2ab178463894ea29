import { guardFinalStates } from '../support/load/payments.ts'
import { type Books, readBooks, type Violation } from './books.ts'
import { checkAdjustments, checkCases } from './check-late.ts'
import { checkMovements, checkRefunds, checkWallets } from './check-money.ts'
import { checkReads } from './check-reads.ts'
import { checkBeneficiaries, checkResponses } from './check-responses.ts'
import { checkWebhooks } from './check-webhooks.ts'
import type { Client } from './client.ts'
import type { Merchant } from './merchants.ts'
import type { Site } from './site.ts'

export interface Checked {
  readonly violations: readonly Violation[]
  /** Payments by outcome. */
  readonly payments: Readonly<Record<string, number>>
  readonly movements: number
  readonly webhooks: number
  readonly ledger: string
}

interface CheckOptions {
  readonly site: Site
  readonly client: Client
  readonly merchants: readonly Merchant[]
}

/** Records every transition out of a final state from now on. */
export const watchFinalStates = (site: Site) => guardFinalStates({ ask: site.ask })

/** Compares five books: the clients', the payments, the ledger, the providers' and the receivers'. */
export async function checkEverything({ site, client, merchants }: CheckOptions): Promise<Checked> {
  const record = [...client.record]
  const books = await readBooks(site)
  const ledger = await checkLedger(site)
  const hooks: Violation[] = []
  const beneficiaries = new Map<string, ReadonlySet<string>>()
  for (const merchant of merchants) {
    const read = (path: string) => readAs(client, merchant, path)
    hooks.push(...(await checkWebhooks(site, merchant, books, read)))
    beneficiaries.set(merchant.id, await beneficiariesOf(client, merchant))
  }
  const steps = await site.ask<{ id: string; source: string; target: string }>('select * from steps_out_of_final')
  return {
    violations: [
      ...checkResponses(record, books.payments),
      ...checkBeneficiaries(record, beneficiaries),
      ...checkWallets(books),
      ...checkMovements(books),
      ...checkRefunds(books),
      ...checkAdjustments(books),
      ...checkCases(books),
      ...ledger.violations,
      ...hooks,
      ...checkReads(client.record.slice(record.length)),
      ...steps.map(
        ({ id, source, target }): Violation => ({
          kind: 'wrong',
          words: `it went from ${source} to ${target}`,
          payment: id,
        }),
      ),
    ],
    payments: tally(namesOf(books)),
    movements: books.moved.length,
    webhooks: merchants.reduce((sum, { receiver }) => sum + receiver.got.length, 0),
    ledger: ledger.words,
  }
}

/** The outcome of each payment, and what moved after its end. */
function namesOf({ payments, adjustments }: Books): string[] {
  return [
    ...payments.map(({ type, method, state, doubt, suspended }) =>
      [type, method, state, doubt, suspended === '0' ? '' : 'with money in suspense'].filter(Boolean).join(' '),
    ),
    ...adjustments.map(({ type, method, direction, reason }) => [type, method, direction, reason].join(' ')),
  ]
}

export function tally(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, String)].sort().map(([name, all]) => [name, all.length]))
}

/** Runs the ledger's own check with the seals stored outside. */
async function checkLedger(site: Site): Promise<{ violations: Violation[]; words: string }> {
  try {
    const { batches, transfers, suspense } = await site.operate((operator) => operator.ledger.check({ isFull: true }))
    return {
      violations: [],
      words: `clean: ${batches} batches, ${transfers} transfers; in suspense: ${suspense.join(', ') || 'nothing'}`,
    }
  } catch (error) {
    const words = `the ledger's check: ${(error as Error).message}`
    return { violations: [{ kind: 'wrong', words }], words }
  }
}

async function readAs(client: Client, merchant: Merchant, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { outcome, response } = await client.ask('checker read', merchant, { method: 'GET', path })
  if (outcome !== 'done') throw new Error(`${path} failed although no fault is active: ${JSON.stringify(response)}`)
  return response
}

async function beneficiariesOf(client: Client, merchant: Merchant): Promise<Set<string>> {
  const found = new Set<string>()
  for (let cursor = ''; ; ) {
    const page = (await readAs(client, merchant, `/external-accounts?limit=100${cursor}`))['data'] as {
      externalAccountId: string
    }[]
    for (const { externalAccountId } of page) found.add(externalAccountId)
    if (page.length < 100) return found
    cursor = `&cursor=${page.at(-1)?.externalAccountId}`
  }
}
