import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDocument, Schema } from '../../packages/server/src/http/reference/document.ts'
import { sdkTypes } from './sdk-types.ts'

const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })

const described: ApiDocument = {
  components: {
    schemas: {
      Purse: {
        type: 'object',
        required: ['id', 'kind', 'coins'],
        properties: {
          id: { type: 'string', description: 'The same as the one on its label' },
          kind: { anyOf: [{ const: 'small' }, { const: 'large' }, { type: 'null' }] },
          size: { type: 'string', enum: ['S', 'L'] },
          colour: { type: 'string', enum: ['red'], 'x-extensible': true },
          coins: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
          owner: { type: 'string', description: 'Who ends a comment */ early' },
          holder: { type: 'string', description: 'The same as owner' },
        },
        patternProperties: { '^[A-Z]{3}Wallet$': { type: 'number' } },
      },
    },
  },
  paths: {
    '/api/b2b/purses/{id}': {
      put: {
        operationId: 'putPursesId',
        summary: 'Fill a purse',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'idempotency-key', in: 'header', required: false, schema: { type: 'string' } },
        ],
        requestBody: json({ $ref: '#/components/schemas/Purse' }),
        responses: { '200': json({ type: 'object' }) },
      },
      get: {
        operationId: 'getPursesId',
        summary: 'Look into a purse',
        parameters: [
          { name: 'limit', in: 'query', required: false, description: 'At most', schema: { type: 'integer' } },
        ],
        responses: { '200': json({ type: 'array', items: {} }) },
      },
    },
    '/health': {
      get: { operationId: 'getHealth', summary: 'No business', responses: { '200': json({ type: 'object' }) } },
    },
  },
}

test('a description becomes types, and a table of operations that marks those with a key', () => {
  const text = sdkTypes(described, { version: '1.2.3', errorCodes: ['A', 'B'] })

  assert.equal(
    text.slice(text.indexOf('export const version')),
    `export const version = '1.2.3'

/** Every code a refusal can have; a newer server may know more. */
export type ErrorCode =
  | 'A'
  | 'B'

/**
 * What operations name.
 *
 * @public
 */
export interface Schemas {
  Purse: {
    /** The same as the one on its label */
    id: string
    kind: 'small' | 'large' | null
    size?: 'S' | 'L' | undefined
    colour?: 'red' | (string & {}) | undefined
    coins: (number | string)[]
    /** Who ends a comment * / early */
    owner?: string | undefined
    [name: \`\${string}Wallet\`]: number
  }
}

/** What each operation takes, and what it answers. */
export interface Operations {
  /** Fill a purse */
  putPursesId: {
    path: {
      id: string
    }
    body: Schemas['Purse']
    answer: object
  }
  /** Look into a purse */
  getPursesId: {
    query?: {
      /** At most */
      limit?: number | undefined
    }
    answer: unknown[]
  }
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
  putPursesId: { method: 'PUT', path: '/purses/{id}', isKeyed: true },
  getPursesId: { method: 'GET', path: '/purses/{id}' },
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
`,
  )
})
