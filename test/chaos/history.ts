import { providerKeyOf, showId } from '../../packages/server/src/platform/ids.ts'
import type { ClientRequest } from './client.ts'
import type { Site } from './site.ts'

/** Everything recorded about a payment, from all sides, one entry a line. */
export async function historyOf(site: Site, id: string, record: readonly ClientRequest[]): Promise<string[]> {
  const rows = async (title: string, text: string) =>
    (await site.ask(text, [id])).map((row) => `  ${title}: ${JSON.stringify(row)}`)
  const attempts = await site.ask<{ number: number }>('select number from attempts where transaction_id = $1', [id])
  const keys = attempts.map(({ number }) => providerKeyOf(id, number))
  const simulatorControl = site.simulatorControl()
  const provider = await Promise.all(
    keys.map(async (key) => [
      ...(await simulatorControl.moved(key)).map((each) => `  provider movement: ${JSON.stringify(each)}`),
      ...(await simulatorControl.requests(key)).map((each) => `  provider request: ${JSON.stringify(each)}`),
      ...(await simulatorControl.callbacks(key)).map(
        ({ status, attempts: tries }) => `  provider callback: ${status} ${JSON.stringify(tries)}`,
      ),
    ]),
  )
  return [
    `payment ${id}`,
    ...requestsOf(id, record, await referenceOf(site, id)),
    ...(await rows(
      'stored',
      `select state, doubt, type, method, provider, amount, currency, wallet_amount, wallet_currency, fee, received,
      adjustments, adjusted, adjusted_fee, suspended, related_transaction_id, direction, reason, failure, created_at, updated_at, wake_at, expires_at from transactions where id = $1`,
    )),
    ...(await rows(
      'attempt',
      'select number, provider, sends, polls, refusals, send_deadline, is_lost, outcome, moved, returned from attempts where transaction_id = $1 order by number',
    )),
    ...(await rows(
      'adjustment',
      `select id, direction, reason, amount, currency, wallet_amount, wallet_currency, fee, created_at
      from transactions where related_transaction_id = $1 order by id`,
    )),
    ...(await rows(
      'case',
      'select id, kind, amount, currency, opened_at, closed_at, outcome from suspense_cases where transaction_id = $1 order by id',
    )),
    ...(await rows(
      'event',
      'select number, at, cause, name, state, message, detail from events where transaction_id = $1 order by number',
    )),
    ...(await rows(
      'receipt',
      'select receipt_id, amount, is_late, is_reversed, at from receipts where transaction_id = $1 order by number',
    )),
    ...(await rows(
      'ledger',
      `select t.transaction_id, t.number, t.phase, t.kind, t.event, coalesce(d.kind, 'wallet') as debit, coalesce(c.kind, 'wallet') as credit,
      t.amount, t.currency from transfers t left join platform_accounts d on d.id = t.debit_account
      left join platform_accounts c on c.id = t.credit_account where t.transaction_id = $1
      or t.transaction_id in (select id from transactions where related_transaction_id = $1)
      order by t.transaction_id, t.number, t.phase`,
    )),
    ...provider.flat(),
  ]
}

async function referenceOf(site: Site, id: string): Promise<string> {
  const [row] = await site.ask<{ reference: string }>(
    'select external_reference as reference from transactions where id = $1',
    [id],
  )
  return row?.reference ?? id
}

function requestsOf(id: string, record: readonly ClientRequest[], reference: string): string[] {
  const shown = showId('transaction', id)
  const about = record.filter(
    ({ body, path }) =>
      path.includes(shown) || path.includes(reference) || JSON.stringify(body ?? '').includes(reference),
  )
  return about.flatMap(({ kind, method, path, outcome, exchanges }) => [
    `  client: ${kind}, ${method} ${path}, outcome ${outcome}`,
    ...exchanges.map(
      ({ at, tookMs, status, word }) => `    at ${Math.round(at)} ms: ${status} ${word} after ${Math.round(tookMs)} ms`,
    ),
  ])
}
