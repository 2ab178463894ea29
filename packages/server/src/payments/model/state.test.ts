import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testMalipo } from '../../testing/malipo.ts'
import { isFinal, publicStatus, type State, stageOf, states, transitions } from './state.ts'

test('every state is reachable from acceptance, and a final state is reachable from every state', () => {
  const reach = (from: State, seen = new Set<State>()): Set<State> => {
    if (!seen.has(from)) {
      seen.add(from)
      for (const next of transitions[from]) reach(next, seen)
    }
    return seen
  }

  assert.deepEqual([...reach('unapproved')].sort(), [...states].sort())
  assert.ok(!reach('accepted').has('unapproved'))
  for (const state of states) assert.ok([...reach(state)].some(isFinal), state)
})

test('only successful and failed are final, and only they are shown as final', () => {
  assert.deepEqual(states.filter(isFinal), ['successful', 'failed'])
  for (const state of states) assert.equal(publicStatus[state] !== 'pending', isFinal(state))
  assert.equal(stageOf('failed', 'EXPIRED'), 'EXPIRED')
  assert.equal(stageOf('failed', 'PAYER_NOT_FOUND'), 'FAILED')
})

test('a payment whose customer was asked to act is never accepted again', () => {
  assert.ok(!(transitions.waiting as readonly State[]).includes('accepted'))
})

test('the database allows exactly the states of the table', async (t) => {
  const malipo = await testMalipo(t)

  const [row] = await malipo.ask<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint
     where conname = 'transactions_state_is_known' and conrelid = 'transactions'::regclass`,
  )

  const named = [...(row?.definition ?? '').matchAll(/'(\w+)'/g)].map(([, word]) => word)
  assert.deepEqual(new Set(named), new Set<string>(states))
})
