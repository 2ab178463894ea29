import assert from 'node:assert/strict'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { showId } from '../../../packages/server/src/platform/ids.ts'
import type { Cell } from '../cluster/cell.ts'
import { runCommand } from '../cluster/struck-processes.ts'
import type { Strike } from '../faults/armed-failpoints.ts'
import type { Ordered } from './market.ts'

/** Operators who end payouts for which the provider never responds. */
export interface Operators {
  /** Ends one, with the command struck on the way, and repeats it if needed. */
  endOne(strike: Strike): Promise<unknown>
  /** Ends the rest that can be ended now. */
  endAll(): Promise<void>
}

const findMs = 120_000
const decision = { reason: 'stuck', evidence: 'the provider says it was never paid' }

export function openOperators(cell: Cell, orders: readonly Ordered[]): Operators {
  const ended = new Set<string>()
  const stuck = () => orders.flatMap(({ id, isStuck }) => (id !== undefined && isStuck && !ended.has(id) ? [id] : []))
  const waiting = async () => {
    const rows = await cell.ask<{ id: string }>(
      `select id from transactions where id = any($1) and state = 'submitted' order by id`,
      [stuck()],
    )
    return rows.map(({ id }) => id)
  }
  const resolve = (id: string, strike?: Strike) => {
    const words = ['--failed', '--reason', decision.reason, '--evidence', decision.evidence]
    const args = ['--break-glass', 'payments', 'resolve', showId('transaction', id), ...words]
    return runCommand(cell.folder, cell.operatorSettings, args, strike)
  }
  /** The command fails while a struck process holds the payment locked; the operator checks and retries. */
  const isBusy = ({ text }: { readonly text: string }) => text.includes('the database is too busy')
  const finish = (id: string) =>
    until('an operator to end a payout', async () => {
      const { code, text } = await resolve(id)
      assert.ok(code === 0 || text.includes('is failed already') || isBusy({ text }), text)
      return !isBusy({ text })
    })
  const strikeAt = async (strike: Strike) => {
    const id = await until('a payout to be stuck', async () => (await waiting())[0], { timeoutMs: findMs })
    ended.add(id)
    const first = await resolve(id, strike)
    assert.ok(first.isStruck || isBusy(first), `the operator did not reach ${strike.place}: ${first.text}`)
    if (first.code !== 0) await finish(id)
    return first.isStruck
  }
  return {
    endOne: (strike) => until(`an operator to reach ${strike.place}`, () => strikeAt(strike), { timeoutMs: findMs }),
    endAll: async () => {
      for (const id of await waiting()) {
        ended.add(id)
        await cell.operator.payments.resolve(showId('transaction', id), { outcome: 'failed', ...decision })
      }
    },
  }
}
