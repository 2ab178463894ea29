/**
 * Loaded before a program (`node --import`): replaces the failpoints that do nothing by ones that strike. The program itself
 * cannot do this.
 */
import { registerHooks } from 'node:module'

const harmless = import.meta.resolve('../../../packages/server/src/platform/failpoints.ts')
const armed = import.meta.resolve('./armed-failpoints.ts')

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    return found.url === harmless ? { ...found, url: armed } : found
  },
})
