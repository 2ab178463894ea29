import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { testPerson } from '../testing/people.ts'
import { sql, type Tx } from './db.ts'
import { readId } from './ids.ts'
import { nameMerchants } from './named-merchants.ts'

/** Payments are accepted without their provider; their outcome does not matter here. */
const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }

/** Creates a merchant with a row in every table that has merchants' rows. Returns its id. */
async function fill(malipo: Malipo): Promise<string> {
  const { id: shown, ...merchant } = await malipo.merchant()
  const id = readId('merchant', shown) ?? ''
  await merchant.call('PUT', '/api/b2b/users', { firstName: 'Achieng', sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const payoutMethod = { accountName: 'Amina Otieno', accountNumber: '+254703456789' }
  const account = { country: 'KE', currency: 'KES', destination: 'MoMo', payoutMethod }
  await merchant.call('POST', '/api/b2b/webhook-endpoints', { url: 'http://127.0.0.1:9/books' })
  const made = await merchant.call('POST', '/api/b2b/external-accounts', account)
  const externalAccountId = (made.body['data'] as { id: string }).id
  const controls = { env: 'sandbox', reason: 'a test' } as const
  await malipo.operator.payoutControls.setLimits(shown, { ...controls, currency: 'KES', perMerchantDay: '1000' })
  await malipo.operator.payoutControls.setApprovals(shown, { ...controls, bulk: true })
  await malipo.ask(`insert into known_beneficiaries values ($1, 'sandbox', 'h', now())`, [id])
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k1' }
  const order = { amount: 20, externalReference: 'r1', externalAccountId }
  const paid = await malipo.call('POST', '/api/b2b/fiat/payout', headers, order)
  assert.equal(paid.status, 200, JSON.stringify(paid.body))
  await merchant.call('PUT', '/api/sandbox/b2b/utilities/scenarios/r2', { scenario: 'expiry' })
  await merchant.call('POST', '/api/b2b/quotes', { amount: 20, externalAccountId })
  await malipo.ctx.requestLog.flush()
  await malipo.ask(
    `with one as (select id, merchant_id, env from transactions where merchant_id = $1),
       reasons as (insert into refund_reasons select id, merchant_id, env, 'a test' from one),
       refunds as (insert into refunds_of_charges select id, id, merchant_id, env from one)
     insert into refund_totals select id, merchant_id, env, 1, 0 from one`,
    [id],
  )
  await malipo.operator.merchants.setCurrencies(shown, { env: 'sandbox', disable: ['UGX'], reason: 'a test' })
  await malipo.operator.fees.set({ env: 'sandbox', merchant: shown, basisPoints: 90, reason: 'a test' })
  const { person_id } = await testPerson(malipo, { merchant: { id: shown, roles: ['viewer'] } })
  await malipo.ask(
    `insert into saved_views (id, merchant_id, env, person_id, page, name, filters)
     values ($1, $2, 'sandbox', $3, 'payments', 'a test', '{}')`,
    [randomUUID(), id, person_id],
  )
  await malipo.operator.people.invite({ email: 'baraka@example.com', name: 'Baraka', role: 'viewer', merchant: shown })
  await malipo.ask(
    `insert into proposals (id, operation, input, merchant_id, summary, preview, ground_hash, reason, maker_kind, maker_id,
       maker_name)
     values ($1, 'wallets.fund', '{}', $2, 'a test', '{}', '', 'a test', 'person', 'person_1', 'Amina')`,
    [randomUUID(), id],
  )
  await malipo.ask(`insert into card_tries values ($1, 'sandbox', 'h', now(), 1)`, [id])
  await malipo.ask(
    `insert into suspense_cases (id, env, kind, provider, country, currency, amount, merchant_id, transaction_id, opened_at,
       updated_at)
     values ($1, 'sandbox', 'paid_twice', 'house', 'KE', 'KES', 1, $2, $3, now(), now())`,
    [randomUUID(), id, readId('transaction', String(paid.body['transactionId']))],
  )
  return id
}

interface Table {
  readonly name: string
  /** The column with the row's owner. */
  readonly owner: string
  /** A column that a writer may change, if there is one. */
  readonly column: string | null
  /** The columns that a writer may insert. */
  readonly inserted: string
  readonly is_deletable: boolean
}

const ownedTables = (malipo: Malipo) =>
  malipo.ask<Table>(`
    select c.relname as name, a.attname as owner,
      (select min(u.attname) from pg_attribute u
       where u.attrelid = c.oid and u.attnum > 0 and has_column_privilege('malipo_write', c.oid, u.attnum, 'update')) as column,
      (select string_agg(quote_ident(i.attname), ', ' order by i.attnum) from pg_attribute i
       where i.attrelid = c.oid and i.attnum > 0 and has_column_privilege('malipo_write', c.oid, i.attnum, 'insert')) as inserted,
      has_table_privilege('malipo_write', c.oid, 'delete') as is_deletable
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = case c.relname when 'merchants' then 'id' else 'merchant_id' end
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1`)

const raw = (text: string) => ({ name: '', text, values: [] })

/** Runs one statement in a transaction that names merchants, if any. Returns the row count or the error code. */
async function attempt({ ctx }: Malipo, named: readonly string[] | undefined, text: string): Promise<number | string> {
  let outcome: number | string = ''
  const work = ctx.db.write.transaction(async (tx: Tx) => {
    if (named) await nameMerchants(tx, named)
    outcome = (await tx.query(raw(text))).length
    throw new Error('roll back')
  })
  await work.catch((error: Error & { code?: string }) => {
    if (error.code !== undefined) outcome = error.code
  })
  return outcome
}

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, noProvider)
  return { malipo, mine: await fill(malipo), other: await fill(malipo), tables: await ownedTables(malipo) }
}

test('a transaction for one merchant changes, locks or deletes no row of another in any table', async (t) => {
  const { malipo, mine, other, tables } = await setUp(t)
  assert.ok(tables.length >= 24, tables.map(({ name }) => name).join())

  for (const { name, owner, column, is_deletable } of tables) {
    const statements = [
      ...(column === null
        ? []
        : [
            `update ${name} set ${column} = ${column} where ${owner} = $owner returning 1`,
            `select 1 from ${name} where ${owner} = $owner for no key update`,
          ]),
      ...(is_deletable ? [`delete from ${name} where ${owner} = $owner returning 1`] : []),
    ]
    for (const statement of statements) {
      const of = (id: string) => statement.replace('$owner', `'${id}'`)
      assert.notEqual(await attempt(malipo, [mine], of(mine)), 0, of('mine'))
      assert.equal(await attempt(malipo, [mine], of(other)), 0, of('other'))
      assert.notEqual(await attempt(malipo, [mine, other], of(other)), 0, of('one of two'))
      assert.notEqual(await attempt(malipo, undefined, of(other)), 0, 'a worker, or a process of the release before')
      assert.equal(await attempt(malipo, [], of(mine)), 0, 'no merchant is named')
    }
    const everything = column === null ? undefined : `update ${name} set ${column} = ${column} returning ${owner} as id`
    if (everything !== undefined)
      assert.equal(
        await attempt(malipo, [mine], everything),
        await attempt(
          malipo,
          undefined,
          `${everything.replace(' returning', ` where ${owner} = '${mine}' returning`)}`,
        ),
        `${name} without a WHERE`,
      )
  }
})

test('a transaction that names a merchant inserts no row for another, into any table', async (t) => {
  const { malipo, mine, other, tables } = await setUp(t)
  const generated = { fee_rules: 'overriding user value ' }

  for (const { name, owner, inserted } of tables) {
    const into = `insert into ${name} (${inserted}) ${name === 'fee_rules' ? generated.fee_rules : ''}`
    // A writer may not read every table, so the row is read beforehand.
    const copyOf = async (id: string) => {
      const [row] = await malipo.ask<{ row: object }>(
        `select to_jsonb(t) as row from ${name} t where ${owner} = '${id}' limit 1`,
      )
      const literal = JSON.stringify(row?.row).replaceAll("'", "''")
      return `${into} select ${inserted} from jsonb_populate_record(null::${name}, '${literal}')`
    }
    assert.equal(await attempt(malipo, [mine], await copyOf(other)), '42501', name)
    assert.notEqual(await attempt(malipo, [mine], await copyOf(mine)), '42501', name)
  }
})

test('a transaction that names a merchant cannot write rows that apply to all merchants', async (t) => {
  const malipo = await testMalipo(t)
  const mine = readId('merchant', (await malipo.merchant()).id) ?? ''
  await malipo.operator.fees.set({ env: 'sandbox', basisPoints: 80, reason: 'a test' })
  const copy = `insert into fee_rules overriding user value select * from fee_rules where merchant_id is null limit 1`

  assert.equal(await attempt(malipo, [mine], copy), '42501')
  assert.notEqual(await attempt(malipo, undefined, copy), '42501')
})

test('merchant names end with their transaction', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '1' })
  const [mine, other] = [await malipo.merchant(), await malipo.merchant()].map(({ id }) => readId('merchant', id) ?? '')
  const rename = sql`update merchants set first_name = 'Baraka' where id = ${other} returning id`

  const during = await malipo.ctx.db.write.transaction(async (tx) => {
    await nameMerchants(tx, [mine ?? ''])
    return tx.query(rename)
  })
  const after = await malipo.ctx.db.write.query(rename)

  assert.deepEqual([during.length, after.length], [0, 1])
})
