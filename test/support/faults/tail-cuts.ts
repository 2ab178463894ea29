import { hashOf, type Seal } from '../../../packages/server/src/ledger/seals.ts'
import type { Tampering } from './tampering.ts'

export interface TailCut {
  readonly writer: string
  /** Number and hexadecimal hash of the last batch that stays. */
  readonly kept: { readonly number: number; readonly hash: string }
  readonly seals: readonly Seal[]
  readonly afterwards: 'seals removed' | 'seals rewritten'
}

const counters = ['debits_pending', 'debits_posted', 'credits_pending', 'credits_posted'] as const
const sums = counters.map((name) => `sum(${name})::bigint as ${name}`).join(', ')
const lessened = (account: string) => counters.map((name) => `${name} = ${account}.${name} - s.${name}`).join(', ')

/** Removes a writer's last batches with all their effects, so that a consistent ledger remains. */
export function cutTail(cut: TailCut): Tampering {
  const { writer, kept, afterwards } = cut
  const gone = `(select batch from ledger_batches where writer = '${writer}' and number > ${kept.number})`
  const folded = '(select folded_below from delta_folds)'
  const statements = [
    `update wallets w set ${lessened('w')},
       entry_at = coalesce((select max(entry_at) from transfers t where t.wallet_id = w.id and t.batch not in ${gone}), 0)
     from (select account_id, ${sums} from transfers t, lateral effects_of(t) where batch in ${gone} group by account_id) s
     where w.id = s.account_id`,
    `update platform_accounts a set ${lessened('a')}
     from (select account_id, ${sums} from account_deltas
       where batch in ${gone} and batch < ${folded} group by account_id) s
     where a.id = s.account_id`,
    `delete from account_deltas where batch in ${gone}`,
    `delete from transfers where batch in ${gone}`,
    `delete from ledger_batches where batch in ${gone}`,
    ...(afterwards === 'seals removed' ? removedSeals(cut) : newSeals(cut)),
  ]
  return { kind: `tail cut, ${afterwards}`, statements }
}

const isGone = ({ writer, kept }: TailCut, head: Seal['heads'][number]) =>
  head.writer === writer && Number(head.number) > kept.number

function removedSeals(cut: TailCut): string[] {
  const first = cut.seals.find(({ heads }) => heads.some((head) => isGone(cut, head)))
  return first ? [`delete from ledger_seals where number >= ${first.number}`] : []
}

/** New seals over the remaining ledger, each correctly chained to the one before. */
function newSeals(cut: TailCut): string[] {
  let previous_hash: Buffer = Buffer.alloc(32)
  return cut.seals.map((seal) => {
    const heads = seal.heads.map((head) =>
      isGone(cut, head) ? { writer: cut.writer, number: String(cut.kept.number), hash: cut.kept.hash } : head,
    )
    const hash = hashOf({ ...seal, heads, previous_hash })
    const statement = `update ledger_seals
      set heads = '${JSON.stringify(heads)}', previous_hash = '\\x${previous_hash.toString('hex')}', hash = '\\x${hash.toString('hex')}'
      where number = ${seal.number}`
    previous_hash = hash
    return statement
  })
}

/** A forged chain, consistent in itself, with a number below the newest seal. */
export function forgeChain(wallet: string, batch: bigint): Tampering {
  const treasury = `(select id from platform_accounts where kind = 'treasury' order by id limit 1)`
  const id = '01900000-0000-7000-8000-000000000000'
  const canonical = `(select sha256(convert_to(canonical_transfer(t), 'UTF8')) from transfers t where batch = ${batch})`
  const link = `'${id}'::uuid, 1, ${batch}, 1, 1, decode(repeat('00', 32), 'hex'), ${canonical}`
  const hashed = `'${id}', 1, ${batch}, 1, 1, repeat('00', 32), encode(${canonical}, 'hex')`
  const statements = [
    `insert into transfers select (select transaction_id from saved.transfers where phase = 0 limit 1), 99, 0, 'transfer',
       'wallet_funded', ${treasury}, id, 1000, 'KES', id, entry_at + 1, credits_posted - debits_posted + 1000, ${batch}, 1
     from wallets where id = '${wallet}'`,
    `update wallets set credits_posted = credits_posted + 1000, entry_at = entry_at + 1 where id = '${wallet}'`,
    `insert into account_deltas values (${batch}, ${treasury}, 0, 1000, 0, 0)`,
    `update platform_accounts set debits_posted = debits_posted + 1000
       where id = ${treasury} and ${batch} < (select folded_below from delta_folds)`,
    `insert into ledger_batches select ${link}, sha256(convert_to(concat_ws('|', ${hashed}), 'UTF8'))`,
  ]
  return { kind: 'forged chain', statements }
}
