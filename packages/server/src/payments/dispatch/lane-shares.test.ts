import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapKinds } from './lane-queue.ts'
import { createLaneShares, type LaneShares } from './lane-shares.ts'
import { type WorkKind, workKinds } from './timers.ts'

const endless = Number.POSITIVE_INFINITY

/** Serves this many requests, a few at a time, while these kinds have more waiting than can be served. */
function serve(shares: LaneShares, requests: number, atOnce: number, ...waiting: WorkKind[]): Record<WorkKind, number> {
  const served = mapKinds(() => 0)
  for (let made = 0; made < requests; made += atOnce) {
    const share = shares.divide(
      atOnce,
      mapKinds((kind) => (waiting.includes(kind) ? endless : 0)),
    )
    for (const kind of workKinds) {
      shares.serve(kind, share[kind])
      served[kind] += share[kind]
    }
  }
  return served
}

for (const atOnce of [1, 7, 100])
  test(`each kind gets its share while all kinds wait, with ${atOnce} requests at once`, () => {
    const served = serve(createLaneShares(), 2100, atOnce, ...workKinds)

    assert.ok(Math.abs(served.prompt - 1260) <= 20, JSON.stringify(served))
    assert.ok(Math.abs(served.hint - 420) <= 10, JSON.stringify(served))
    assert.ok(Math.abs(served.payout - 315) <= 10, JSON.stringify(served))
    assert.ok(Math.abs(served.poll - 105) <= 10, JSON.stringify(served))
  })

test('the other kinds get what one kind does not need', () => {
  assert.deepEqual(serve(createLaneShares(), 100, 10, 'poll'), { prompt: 0, hint: 0, payout: 0, poll: 100 })
  const { payout, poll } = serve(createLaneShares(), 100, 10, 'payout', 'poll')
  assert.deepEqual([payout, poll], [75, 25])
})

test('a prompt is next after any number of payouts', () => {
  const shares = createLaneShares()
  serve(shares, 45_000, 50, 'payout', 'poll')

  assert.equal(shares.divide(1, { prompt: 1, hint: 0, payout: endless, poll: endless }).prompt, 1)
})

test('a kind that was idle has saved nothing up', () => {
  const shares = createLaneShares()
  serve(shares, 10_000, 50, 'payout')

  const { prompt, payout } = serve(shares, 150, 1, 'prompt', 'payout')

  assert.ok(Math.abs(prompt - 120) <= 2 && Math.abs(payout - 30) <= 2, `${prompt} and ${payout}`)
})

test('a kind gets no more requests than it can make', () => {
  const shares = createLaneShares()

  assert.deepEqual(shares.divide(50, { prompt: 3, hint: 0, payout: 2, poll: 1 }), {
    prompt: 3,
    hint: 0,
    payout: 2,
    poll: 1,
  })
})
