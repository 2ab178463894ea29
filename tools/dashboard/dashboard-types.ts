/** packages/dashboard/src/generated: the three APIs that the dashboard calls, as types and tables of paths. */

import type { ApiDocument } from '../../packages/server/src/http/reference/document.ts'
import { apiTypes } from '../sdk/api-types.ts'

const folder = 'packages/dashboard/src/generated'
const made = (from: string) => `// Made by npm run generate from docs/reference/${from}. Change the routes instead.\n\n`

export function dashboardTypes(operators: ApiDocument, merchants: ApiDocument): [string, string][] {
  const root = '/dashboard/v1/merchants/{merchantId}/{env}'
  return [
    [`${folder}/merchant-api.ts`, made('dashboard-openapi.json') + apiTypes(merchants, { root, without })],
    [`${folder}/operator-api.ts`, made('operator-openapi.json') + apiTypes(operators, { root: '/operator/v1' })],
    [`${folder}/people-api.ts`, made('operator-openapi.json') + apiTypes(operators, { root: '/people/v1' })],
  ]
}

/** Second names of operations. */
const without = new Set(['getWebhooksId'])
