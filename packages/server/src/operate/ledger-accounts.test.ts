import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealHeads } from '../ledger/seals.ts'
import { recordCommand } from '../platform/command-results.ts'
import { type PayingMalipo, payingMalipo, payOut, payoutInDoubt } from '../testing/paying.ts'
import { testPerson } from '../testing/people.ts'
import type { EntryView } from './ledger-entries.ts'

const env = 'sandbox' as const
const float = { provider: 'pawapay', env, country: 'KE', currency: 'KES' } as const

async function paying(malipo: PayingMalipo, payouts: number) {
  const merchant = await malipo.merchant()
  malipo.work()
  const paid = await Promise.all(Array.from({ length: payouts }, () => payOut(merchant)))
  for (const { id } of paid) await malipo.comesTo(id, 'successful')
  return { merchant, paid }
}

/** Every page of an account, newest first. */
async function allEntries({ operator }: PayingMalipo, account: string, limit: number): Promise<EntryView[]> {
  const entries: EntryView[] = []
  let cursor: string | undefined
  do {
    const page = await operator.ledger.entries(account, { limit, ...(cursor !== undefined && { cursor }) })
    entries.push(...page.entries)
    cursor = page.next
  } while (cursor !== undefined)
  return entries
}

const accountOf = async ({ operator }: PayingMalipo, kind: 'float' | 'wallet' | 'clearing', merchant?: string) => {
  const wanted = { env, currency: 'KES', kind, limit: 1000, ...(merchant !== undefined && { merchant }) }
  const { accounts } = await operator.ledger.accounts(wanted)
  const found = accounts.find(({ country = 'KE' }) => country === 'KE')
  assert(found)
  return found
}

test('the trial balance is 0 in every currency while payments are open, paid and in doubt', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant } = await paying(malipo, 2)
  await payoutInDoubt(malipo, merchant)

  const shown = await malipo.operator.ledger.trialBalance({ env })

  assert.equal(shown.isBalanced, true)
  const kes = shown.currencies.find(({ currency }) => currency === 'KES')
  assert.deepEqual([kes?.sum, kes?.isBalanced, kes?.debits === kes?.credits], ['0.00', true, true])
  const kindOf = (kind: string) => kes?.kinds.find((each) => each.kind === kind)
  assert.deepEqual([kindOf('float')?.balance, kindOf('fees')?.balance], ['-200.00', '-2.00'])
  assert.equal(kindOf('wallet')?.held, '101.00')
  assert.ok(shown.accounts > 3)
  const live = await malipo.operator.ledger.trialBalance({ env: 'live' })
  assert.equal(live.isBalanced, true)
})

test('every entry of a wallet and of a float leads from the balance before to the balance after', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant, paid } = await paying(malipo, 3)
  await malipo.operator.floats.adjust({ ...float, amount: '500.00', evidence: `line ${merchant.id}`, reason: 'top-up' })
  const accounts = [
    await accountOf(malipo, 'wallet', merchant.id),
    await accountOf(malipo, 'float'),
    await accountOf(malipo, 'clearing'),
  ]

  for (const { account, side, balance } of accounts) {
    const entries = await allEntries(malipo, account, 2)
    assert.deepEqual(entries, await allEntries(malipo, account, 1000), 'pages of any size')
    assert.equal(entries[0]?.balance, balance)
    let running = 0
    for (const { debit = '0', credit = '0', balance: after } of entries.toReversed()) {
      running += (Number(debit) - Number(credit)) * (side === 'debit' ? 1 : -1)
      assert.equal(running.toFixed(2), Number(after).toFixed(2))
    }
    assert.ok(entries.some(({ transactionId }) => transactionId === paid[0]?.id))
  }
})

test('the entries of an archived month are one line that leads to the same balance', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant } = await paying(malipo, 1)
  const [wallet, floats] = [await accountOf(malipo, 'wallet', merchant.id), await accountOf(malipo, 'float')]
  const parts = await malipo.ask<{ name: string; bound: string }>(
    `select c.oid::regclass::text as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i
     join pg_class c on c.oid = i.inhrelid where i.inhparent = 'transfers'::regclass and exists (
       select from transfers t where t.tableoid = c.oid)`,
  )
  for (const { name } of parts) await malipo.ask(`alter table transfers detach partition ${name}`)

  const shown = await allEntries(malipo, floats.account, 10)

  for (const { name, bound } of parts) await malipo.ask(`alter table transfers attach partition ${name} ${bound}`)
  assert.ok(shown.every(({ event, transactionId }) => event === 'archived' && transactionId === undefined))
  assert.equal(shown[0]?.balance, floats.balance)
  assert.ok((await allEntries(malipo, wallet.account, 10)).every(({ event }) => event !== 'archived'))
})

test('a changed cursor, a cursor of another account and an unknown account are refused', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant } = await paying(malipo, 2)
  const [wallet, floats] = [await accountOf(malipo, 'wallet', merchant.id), await accountOf(malipo, 'float')]
  const { ledger } = malipo.operator
  const { next = '' } = await ledger.entries(floats.account, { limit: 1 })
  assert.notEqual(next, '')
  const forged = next.replace(/_-?\d+_/, '_-999999900_')

  for (const cursor of [forged, 'nothing', `${next}x`])
    await assert.rejects(ledger.entries(floats.account, { limit: 1, cursor }), /the cursor is not of this account/)
  await assert.rejects(ledger.entries(wallet.account, { limit: 1, cursor: next }), /the cursor is not of this account/)
  await assert.rejects(ledger.entries('acc_01930000000070008000000000000001', { limit: 1 }), /no account has the id/)
  await assert.rejects(ledger.entries('nothing', { limit: 1 }), /nothing is not an account/)
})

test('accounts are listed page by page, by kind, currency and merchant', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant } = await paying(malipo, 1)
  const { ledger } = malipo.operator
  const all = await ledger.accounts({ env, limit: 1000 })
  const names: string[] = []
  let after: string | undefined
  do {
    const page = await ledger.accounts({ env, limit: 3, ...(after !== undefined && { after }) })
    names.push(...page.accounts.map(({ account }) => account))
    after = page.next
  } while (after !== undefined)

  assert.deepEqual(
    names,
    all.accounts.map(({ account }) => account),
  )
  assert.deepEqual(new Set(all.accounts.map((each) => each.env)), new Set([env]))
  const own = await ledger.accounts({ env, merchant: merchant.id, limit: 1000 })
  assert.ok(own.accounts.length > 0 && own.accounts.every((each) => each.merchant?.id === merchant.id))
  const fees = await ledger.accounts({ env, kind: 'fees', currency: 'KES', limit: 1000 })
  assert.deepEqual(
    fees.accounts.map(({ kind, currency }) => [kind, currency]),
    [['fees', 'KES']],
  )
})

type Listed = { readonly [Name in 'currencies' | 'accounts']?: readonly { readonly currency: string }[] }

test('a role limited to a currency sees only its accounts, entries and sums', async (t) => {
  const malipo = await payingMalipo(t)
  const { merchant } = await paying(malipo, 1)
  const limited = await testPerson(malipo, { operator: ['finance'], countries: ['UG'], currencies: ['UGX'] })
  const get = async (path: string) => {
    const { status, body } = await limited.call('GET', `/operator/v1/ledger/${path}`)
    return { status, data: body['data'] as Listed }
  }
  const { account } = await accountOf(malipo, 'wallet', merchant.id)

  const [balance, accounts] = [
    await get('trial-balance?env=sandbox'),
    await get(`accounts?env=sandbox&limit=1000&merchant=${merchant.id}`),
  ]

  assert.deepEqual(
    balance.data.currencies?.map(({ currency }) => currency),
    ['UGX'],
  )
  assert.deepEqual(new Set(accounts.data.accounts?.map(({ currency }) => currency)), new Set(['UGX']))
  assert.equal((await get(`accounts/${account}/entries?limit=10`)).status, 422)
})

test('the integrity shows an intact seal, and one that was changed', async (t) => {
  const malipo = await payingMalipo(t)
  await paying(malipo, 1)
  await sealHeads(malipo.ctx.db.write)
  await malipo.ask('delete from command_results')
  const before = await malipo.operator.ledger.integrity()
  await malipo.operator.ledger.check({ isFull: false })

  const shown = await malipo.operator.ledger.integrity()

  assert.match(shown.lastSeal?.hash ?? '', /^[0-9a-f]{64}$/)
  assert.deepEqual([shown.lastSeal?.isIntact, before.check.hasRun, shown.check.hasRun], [true, false, true])
  assert.deepEqual([before.check.lastRun, shown.check.lastRun?.isGood], [undefined, true])
  assert.equal(shown.check.lastFullRun, undefined, 'the check was not a full one')
  assert.ok(shown.chains > 0 && shown.batches >= shown.chains)
  assert.ok(before.check.uncheckedBatches > 0 && shown.check.uncheckedBatches === 0)
  assert.equal(
    shown.audit.chains.every(({ entries, verified }) => entries === verified),
    true,
  )
  await malipo.ask('update ledger_seals set at = at - 1 where number = $1', [shown.lastSeal?.number])
  assert.equal((await malipo.operator.ledger.integrity()).lastSeal?.isIntact, false)
})

test('the integrity shows the last check that found a difference, with its words', async (t) => {
  const malipo = await payingMalipo(t)
  const failed = { name: 'ledger_check_full', isGood: false, detail: 'wallet KES KE: counters differ' } as const
  await recordCommand(malipo.ctx.db.write, { name: 'ledger_check', isGood: true })
  await recordCommand(malipo.ctx.db.write, failed)

  const { check } = await malipo.operator.ledger.integrity()

  assert.deepEqual([check.lastRun?.isGood, check.lastRun?.problem], [true, undefined])
  assert.deepEqual([check.lastFullRun?.isGood, check.lastFullRun?.problem], [false, failed.detail])
})
