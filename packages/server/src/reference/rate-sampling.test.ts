import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLog } from '../platform/log.ts'
import type { Connector } from '../providers/contract.ts'
import { testMalipo } from '../testing/malipo.ts'
import { keepRates } from '../workers/rate-keeper.ts'
import { type RateSampler, sampleRates } from './rate-sampling.ts'
import { duePairs, forgetRates } from './rate-store.ts'

type Quoted = readonly [buy: string, sell: string] | undefined

/** A provider with this quote. Undefined: it does not respond. */
const source = (id: string, quoted: Quoted): Connector => ({
  id,
  capabilities: [],
  requestsPerSecond: 1,
  rates: {
    quote: async () => {
      if (!quoted) throw new Error('away')
      return { buy: quoted[0], sell: quoted[1] }
    },
  },
  close: async () => undefined,
})

const usdKes = { base: 'USD', quote: 'KES' } as const

async function sampling(t: TestContext, over: Partial<RateSampler> = {}) {
  const malipo = await testMalipo(t)
  await malipo.ask('delete from rates')
  await malipo.ask('delete from held_rates')
  const alerts: string[] = []
  const log = createLog({ level: 'error', write: (line) => alerts.push(JSON.parse(line).msg) })
  const sampler = {
    env: 'sandbox',
    db: malipo.ctx.db.write,
    log,
    markupBasisPoints: 0,
    jumpPercent: 10,
    ...over,
  } as const
  return {
    ...malipo,
    alerts,
    sample: (...sources: Quoted[]) =>
      sampleRates(
        sampler,
        sources.map((quoted, index) => source(['one', 'two', 'three'][index] ?? '', quoted)),
        [usdKes],
      ),
    /** The accepted rates, oldest first. */
    accepted: async () => {
      const rows = await malipo.ask('select buy, sell, provider, confirmed_by from rates order by at')
      return rows.map(({ buy, sell, provider, confirmed_by }) => [buy, sell, provider, confirmed_by].join(' ').trim())
    },
    held: async () => (await malipo.operator.rates.list({ isHeldOnly: true })).flatMap(({ held }) => held ?? []),
  }
}

test('a rate that jumps beyond the limit is held, the last one stays, and one alert is raised', async (t) => {
  const { sample, accepted, held, alerts } = await sampling(t)
  await sample(['129', '130'])

  await sample(['141.9', '143'])
  await sample(['1560.9', '1573'])
  await sample(['1561', '1574'])

  assert.deepEqual(await accepted(), ['129 130 one', '141.9 143 one'])
  const [{ id, ...found } = assert.fail(), ...rest] = await held()
  assert.deepEqual(rest, [])
  assert.deepEqual([found.buy, found.sell, found.provider, found.jumpPercent], ['1561', '1574', 'one', '1000.6'])
  assert.match(id, /^\d+$/)
  assert.deepEqual(alerts, ['rate jumped and is held'])
})

test('a jump of one side, or down, is held too, and the earlier rate is accepted again', async (t) => {
  const { sample, accepted, held } = await sampling(t)
  await sample(['129', '130'])

  for (const jumped of [
    ['129', '1300'],
    ['12.9', '130'],
    ['12.9', '13'],
  ] as const) {
    await sample(jumped)
    assert.equal((await held()).length, 1)
  }
  await sample(['129.5', '130.5'])

  assert.deepEqual(await accepted(), ['129 130 one', '129.5 130.5 one'])
  assert.deepEqual(await held(), [])
})

test('a second source that agrees confirms a jump; one that disagrees or is down does not', async (t) => {
  const { sample, accepted, held } = await sampling(t)
  await sample(['129', '130'], ['1', '2'])

  await sample(['200', '201'], ['129', '130'])
  await sample(['200', '201'], undefined)
  assert.deepEqual(await accepted(), ['129 130 one'])
  assert.equal((await held()).length, 1)
  await sample(['200', '201'], undefined, ['202', '203'])

  assert.deepEqual(await accepted(), ['129 130 one', '200 201 one three'])
  assert.deepEqual(await held(), [])
})

test('the next source replaces one that is down or quotes nonsense, and its jumps are held too', async (t) => {
  const { sample, accepted, held } = await sampling(t)

  await sample(undefined, ['129', '130'])
  await sample(['131', '129'], ['130', '131'])
  await sample(undefined, ['300', '301'])
  await sample(undefined, undefined)

  assert.deepEqual(await accepted(), ['129 130 two', '130 131 two'])
  assert.equal((await held())[0]?.provider, 'two')
})

test('a confirmed rate is used from the next sample; a rejected one is not used or reported', async (t) => {
  const { sample, accepted, held, alerts, operator } = await sampling(t)
  const only = async () => (await held())[0]?.id ?? assert.fail()
  await sample(['129', '130'])
  await sample(['1290', '1300'])
  await operator.rates.reject(await only(), 'ten times too much')

  await sample(['1291', '1301'])
  assert.deepEqual([await held(), alerts.length], [[], 1])
  await sample(['160', '161'])
  assert.equal(alerts.length, 2)
  await operator.rates.confirm(await only(), 'devalued, says the central bank')
  assert.deepEqual(await accepted(), ['129 130 one'])
  await sample(['162', '163'])
  await sample(['1291', '1301'])
  await sample(['129', '130'])

  assert.deepEqual(await accepted(), ['129 130 one', '162 163 one test'])
  assert.equal((await held()).length, 1)
})

test('a confirmed pair is sampled at once, every other one after most of a minute', async (t) => {
  const { sample, operator, held, ctx, ask } = await sampling(t)
  const due = () => duePairs(ctx.db.write, 'sandbox', [usdKes])
  assert.deepEqual(await due(), [usdKes])
  await sample(['129', '130'])
  assert.deepEqual(await due(), [])
  await ask(`update rates set at = at - interval '45 seconds'`)
  assert.deepEqual(await due(), [usdKes])

  await sample(['1290', '1300'])
  assert.deepEqual(await due(), [])
  await operator.rates.confirm((await held())[0]?.id ?? '', 'it is right')

  assert.deepEqual(await due(), [usdKes])
})

test('merchant rates include the markup, and the provider rates are stored beside them', async (t) => {
  const { sample, ask } = await sampling(t, { markupBasisPoints: 100 })

  await sample(['128.50', '130.25'])
  await sample(['140', '142'])

  const kept = await ask('select buy, sell, provider_buy, provider_sell from rates order by at')
  assert.deepEqual(kept, [
    { buy: '127.215', sell: '131.5525', provider_buy: '128.50', provider_sell: '130.25' },
    { buy: '138.6', sell: '143.42', provider_buy: '140', provider_sell: '142' },
  ])
})

test('the last rate of a pair is never deleted; older ones are thinned to one per ten minutes', async (t) => {
  const { ask, ctx, sample, accepted } = await sampling(t)
  const at = async (ago: string, buy: number) =>
    ask(
      `insert into rates values ('sandbox', 'USD', 'KES', date_bin('1 hour', now(), 'epoch') - $1::interval, $2, 200, 'x')`,
      [ago, buy],
    )
  await at('40 days', 100)
  await forgetRates(ctx.db.write, 'sandbox')
  assert.deepEqual(await accepted(), ['100 200 x'])
  await sample(['1000', '2000'])
  assert.deepEqual(await accepted(), ['100 200 x']) // A jump is measured against it, however old it is.

  for (const [ago, buy] of [
    ['31 days 1 minute', 101],
    ['2 hours 50 minutes', 102],
    ['2 hours 49 minutes', 103],
    ['2 hours 41 minutes', 104],
    ['2 hours 40 minutes', 105],
    ['-1 minute', 106],
    ['-2 minutes', 107],
  ] as const)
    await at(ago, buy)
  await forgetRates(ctx.db.write, 'sandbox')

  assert.deepEqual(await accepted(), ['102 200 x', '105 200 x', '106 200 x', '107 200 x'])
})

test('metrics count the pairs that are held and those that are too old', async (t) => {
  const { ctx, ask } = await sampling(t)
  const context = { ...ctx, routing: { ...ctx.routing, providersOf: () => [source('one', ['129', '130'])] } }
  const metric = async (name: string) => {
    const text = await ctx.metrics.registry.getSingleMetricAsString(name)
    return Number(/\{env="sandbox"\} (\d+)/.exec(text)?.[1])
  }

  await keepRates(context)
  const pairs = ctx.reference.pairs.length
  assert.deepEqual([await metric('malipo_rates_held'), await metric('malipo_rates_too_old')], [0, 0])
  await ask(`update rates set at = at - interval '6 minutes', buy = 12.9, provider_buy = 12.9 where quote = 'KES'`)
  await ask(`delete from rates where quote <> 'KES'`)
  const { rows } = { rows: await ask(`select from rates where env = 'sandbox'`) }
  await keepRates(context)

  assert.ok(rows.length > 0 && rows.length < pairs)
  assert.deepEqual(
    [await metric('malipo_rates_held'), await metric('malipo_rates_too_old')],
    [rows.length, rows.length],
  )
})

test('the last decision about a rate counts: one rejected by mistake can be confirmed', async (t) => {
  const { sample, accepted, ask, operator } = await sampling(t)
  await sample(['100', '100'])
  await sample(['150', '150'])
  await sample(['150', '150'])
  const [older, newer] = await ask<{ id: string }>('select id::text from held_rates order by id')
  await operator.rates.reject(newer?.id ?? '', 'a mistake')
  await sample(['150', '150'])

  await operator.rates.confirm(older?.id ?? '', 'the currency was devalued')
  await sample(['150', '150'])

  assert.deepEqual(await accepted(), ['100 100 one', '150 150 one test'])
})
