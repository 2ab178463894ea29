import { sendRequest } from './actors.ts'
import { type Life, planRush } from './lives.ts'
import { settleDown } from './steps.ts'
import type { World } from './world.ts'

const bulkSize = 24
const roundsMax = 40

/**
 * One merchant requests more payouts than the provider takes in seconds, then another a prompt and a payout. Nothing fails
 * meanwhile: the second merchant is served within two seconds' requests, although the first came before it.
 */
export async function rush(world: World): Promise<void> {
  const { lives, owners, books, requestsPerSecond } = world
  const [, neighbour, busy] = owners
  if (!neighbour || !busy) throw new Error('a rush needs two merchants')
  const planned = planRush(busy, neighbour, { first: lives.length, count: bulkSize })
  const [bulk, late] = [planned.slice(0, bulkSize), planned.slice(bulkSize)]
  lives.push(...planned)
  for (const life of bulk) sendRequest(world, life)
  await settleDown(world, 1)
  const before = new Set(books.entries.keys())
  for (const life of late) sendRequest(world, life)
  for (let round = 0; round < roundsMax && !late.every((life) => isSent(world, life)); round += 1) {
    await settleDown(world, round)
    world.schedule.advance(1000)
  }
  const sent = [...books.entries.keys()].filter((key) => !before.has(key))
  for (const life of late.filter(({ acceptedIds }) => acceptedIds.size > 0)) {
    const place = sent.findIndex((key) => isOf(life, key))
    const ahead = sent
      .slice(0, place === -1 ? sent.length : place)
      .filter((key) => bulk.some((each) => isOf(each, key)))
    if (place === -1 || ahead.length > 2 * requestsPerSecond)
      world.violations.push(
        `the ${life.kind} of life ${life.place} was sent after ${ahead.length} payouts of another merchant`,
      )
  }
}

const isSent = ({ books }: World, life: Life) => [...books.entries.keys()].some((key) => isOf(life, key))

/** A provider's key starts with the payment's id, except for its version. */
const isOf = ({ acceptedIds }: Life, key: string) =>
  [...acceptedIds].some((id) => key.slice(0, 14) === id.slice(0, 14) && key.slice(15, -2) === id.slice(15, -2))
