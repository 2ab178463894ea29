import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movement, testLedger } from '../../testing/ledger.ts'
import { checkLedger } from './check.ts'

test('a line that is put between two lines of earlier batches is found, in one piece and in many', async (t) => {
  const { db, ask, poster, account, ...ledger } = await testLedger(t)
  const [wallet = ''] = await ledger.wallets(1, 1000n)
  const treasury = await account('treasury')
  for (const amount of [10n, 20n, 30n]) {
    const line = movement({ kind: 'transfer', debit_account: treasury, credit_account: wallet, amount })
    assert.equal(await poster.submit({ wallets: [wallet], movements: [line] }), undefined)
  }
  const check = (pieceTransfers: number) => checkLedger(db.write, { isFull: true, sealLines: [], pieceTransfers })
  await check(1)
  // The newest line moves to just after the first, with the balance that it would have there. Its batch has a hash that fits.
  await ask(
    `with lines as (
       select *, row_number() over (order by entry_at) as place from transfers where wallet_id = $1 and entry_at is not null
     ), first as (
       select * from lines where place = 1
     ), last as (
       select * from lines where place = (select max(place) from lines)
     )
     update transfers t
     set entry_at = first.entry_at + 1, balance = first.balance + last.amount
     from first, last
     where (t.transaction_id, t.number, t.phase) = (last.transaction_id, last.number, last.phase)`,
    [wallet],
  )
  await ask(`
    update ledger_batches b
    set content_hash = c.content,
      hash = sha256(convert_to(concat_ws('|', b.writer, b.number, b.batch, b.at, b.transfers, encode(b.previous_hash, 'hex'),
        encode(c.content, 'hex')), 'UTF8'))
    from (
      select batch, sha256(convert_to(string_agg(canonical_transfer(t), E'\\n' order by position), 'UTF8')) as content
      from transfers t
      where batch = (select max(batch) from ledger_batches)
      group by batch
    ) c
    where b.batch = c.batch`)

  for (const pieceTransfers of [50_000, 1]) await assert.rejects(check(pieceTransfers), /running balance of a wallet/)
})
