import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { authoriseRoute } from './authorise-route.ts'
import { cardRoute } from './card-route.ts'
import { momoRoute } from './momo-route.ts'
import { transferRoute } from './transfer-route.ts'

export function chargeRoutes(app: App, ctx: Context): void {
  momoRoute(app, ctx)
  cardRoute(app, ctx)
  transferRoute(app, ctx)
  authoriseRoute(app, ctx)
}
