import type { RecordClock } from '../../packages/server/src/dev-stack/clock.ts'
import type { SimulatorControl } from '../../packages/server/src/dev-stack/simulator.ts'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import type { Chance } from './random.ts'
import type { Receiver } from './receiver.ts'
import type { ShopClient } from './shop.ts'

/** What the activities work with. */
export interface Stage {
  readonly shop: ShopClient
  readonly simulator: SimulatorControl
  readonly clock: RecordClock
  readonly receiver: Receiver
  /** Has the worker get exchange rates now, which it does every minute of real time; undefined without NATS. */
  readonly refreshRates: (() => void) | undefined
  readonly chance: Chance
}

/** The customer or the provider acts as soon as the provider has the payment. What has ended already needs no action. */
export async function act(simulator: SimulatorControl, key: string, failure: string | undefined): Promise<void> {
  await until(`the provider to have ${key}`, async () => {
    try {
      await simulator.act(key, failure === undefined ? 'approve' : 'decline', failure)
      return true
    } catch (error) {
      const { message } = error as Error
      if (message.includes(' 409 ')) return true
      if (message.includes(' 404 ')) return false
      throw error
    }
  })
}
