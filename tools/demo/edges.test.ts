import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveOpen, promptNow } from './edges.ts'
import { planDemo } from './plan.ts'
import { type Chance, chanceOf } from './random.ts'
import type { Stage } from './stage.ts'

/** The references of what a run leaves open. */
async function referencesLeft(chance: Chance): Promise<string[]> {
  const references: string[] = []
  const nothing = async () => undefined
  const shop = {
    send: async (_method: string, _path: string, body: { readonly externalReference?: string } = {}) => {
      references.push(body.externalReference ?? '')
      const transactionId = 'txn_0000000000'
      return { transactionId, data: { transactionId } }
    },
  }
  const stage = { shop, chance, clock: { forward: nothing }, simulator: { pay: nothing, setFault: nothing } }
  await leaveOpen(stage as unknown as Stage)
  await promptNow(stage as unknown as Stage)
  return references
}

test('what the demo leaves open has its own references, also when chance repeats itself', async () => {
  const least: Chance = { ...chanceOf(1), between: (min) => min }
  const references = await referencesLeft(least)

  assert.equal(references.length, 9)
  assert.equal(new Set(references).size, 9, references.join(' '))
})

test('a second run of the demo in one process uses the same references', async () => {
  assert.deepEqual(await referencesLeft(chanceOf(25)), await referencesLeft(chanceOf(26)))
})

test('no payment of ninety days has a reference of what is left open', async () => {
  const left = new Set(await referencesLeft(chanceOf(25)))
  const groups = planDemo({ seed: 24, endAt: Date.UTC(2026, 10, 18, 6, 20), days: 90 })

  const shared = groups.flatMap(({ activities }) => activities.filter(({ reference }) => left.has(reference)))
  assert.deepEqual(shared, [])
})
