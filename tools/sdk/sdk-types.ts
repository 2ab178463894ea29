/** packages/sdk/src/generated/api.ts: the merchant API as types, and as a table of paths of the operations. */

import type { ApiDocument } from '../../packages/server/src/http/reference/document.ts'
import { apiTypes } from './api-types.ts'

interface Facts {
  readonly version: string
  readonly errorCodes: readonly string[]
}

/** Second names of operations. */
const without = new Set(['getWebhooksId'])

export function sdkTypes(document: ApiDocument, { version, errorCodes }: Facts): string {
  return `// Made by npm run generate from docs/reference/openapi.json. Change the routes instead.

export const version = '${version}'

/** Every code a refusal can have; a newer server may know more. */
export type ErrorCode =
${errorCodes.map((code) => `  | '${code}'`).join('\n')}

${apiTypes(document, { root: '/api/b2b', without })}`
}
