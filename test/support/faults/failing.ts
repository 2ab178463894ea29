/**
 * Loaded before a program of ours (`node --import`): puts failpoints that strike in the place of those that do nothing. The
 * program itself has no way to do this.
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
