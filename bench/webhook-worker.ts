/** A process that only delivers webhooks, as a worker does; its settings are in its environment. */
import { loadConfig } from '../packages/server/src/config.ts'
import { openContext } from '../packages/server/src/context.ts'
import { startDeliveries } from '../packages/server/src/workers/deliveries.ts'

const ctx = openContext(loadConfig(process.env))
const watch = startDeliveries(ctx)
process.send?.('ready')
process.on('disconnect', async () => {
  await watch.stop()
  await ctx.close()
})
