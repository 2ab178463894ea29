import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createBatcher } from './batch.ts'
import type { BatchTx, WriteDb } from './db.ts'
import { createLog } from './log.ts'
import { callerOf, withWorkIds } from './work-ids.ts'

const identity = { role: 'worker', cell: 7, version: '1.2.3' }

function openLog() {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'debug', identity, write: (line) => void lines.push(JSON.parse(line)) })
  const last = () => {
    const { time: _, ...line } = lines.at(-1) ?? {}
    return line
  }
  return { log, last }
}

test('every line has the role, cell and version of its process', () => {
  const { log, last } = openLog()

  log.warn({ lane: 'live/pawapay' }, 'provider call failed')

  assert.deepEqual(last(), { level: 'warn', ...identity, lane: 'live/pawapay', msg: 'provider call failed' })
})

test('a line has the ids of its work, over awaits and nested work, and none of another', async () => {
  const { log, last } = openLog()
  const outer = { requestId: 'req_1', merchantId: 'mer_1' }

  await withWorkIds(outer, async () => {
    await turn()
    withWorkIds({ transactionId: 'txn_1' }, () => log.info('sent'))
    assert.deepEqual(last(), { level: 'info', ...identity, ...outer, transactionId: 'txn_1', msg: 'sent' })
    log.info({ merchantId: 'mer_2' }, 'a fact of the line itself counts more')
    assert.equal(last()['merchantId'], 'mer_2')
    log.info('after')
  })

  assert.deepEqual(last(), { level: 'info', ...identity, ...outer, msg: 'after' })
  log.info('outside')
  assert.deepEqual(last(), { level: 'info', ...identity, msg: 'outside' })
})

test('a batch that a request starts has no ids of that request: it serves others too', async () => {
  const { log, last } = openLog()
  const db = {
    batch: (_: number, work: (tx: BatchTx) => Promise<unknown>) => work({} as BatchTx),
  } as unknown as WriteDb
  const decide = async (_: BatchTx, items: readonly number[]) => {
    log.info('decided')
    return { results: items }
  }
  const batcher = createBatcher({ db, decide, keyOf: String })

  await withWorkIds({ requestId: 'req_1' }, () => batcher.submit(1))

  assert.deepEqual(last(), { level: 'info', ...identity, msg: 'decided' })
})

test('the trace of a request is read from a valid traceparent only', () => {
  const id = '4bf92f3577b34da6a3ce929d0e0e4736'

  assert.deepEqual(callerOf(`00-${id}-00f067aa0ba902b7-01`), { traceId: id, spanId: '00f067aa0ba902b7' })
  assert.equal(callerOf(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`), undefined)
  assert.equal(callerOf(`00-${id}-${'0'.repeat(16)}-01`), undefined)
  assert.equal(callerOf(`${id}"} forged`), undefined)
  assert.equal(callerOf(undefined), undefined)
})
