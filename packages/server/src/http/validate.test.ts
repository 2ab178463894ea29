import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import type { AppError } from '../errors.ts'
import { Destination } from '../external-accounts/schema.ts'
import { ExternalReference } from '../transactions/schema.ts'
import { validatorCompiler } from './validate.ts'

function messagesOf(schema: TSchema, body: unknown): string[] {
  const validate = validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '/' })
  const { error } = validate(body) as { error?: AppError }
  return (error?.details ?? []).map(({ message }) => message)
}

test('a value outside a fixed set is refused with the allowed values', () => {
  const schema = Type.Object({ destination: Type.Optional(Destination), isLive: Type.Optional(Type.Literal(true)) })

  assert.deepEqual(messagesOf(schema, { destination: 'momo' }), [
    'destination must be one of MoMo, Bank Account, Paybill, Till',
  ])
  assert.deepEqual(messagesOf(schema, { isLive: false }), ['isLive must be true'])
  assert.deepEqual(messagesOf(schema, { destination: 'MoMo' }), [])
})

test('a number outside its bounds is refused with the bound in words', () => {
  const schema = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    rate: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
  })

  assert.deepEqual(messagesOf(schema, { limit: 11 }), ['limit must be at most 10'])
  assert.deepEqual(messagesOf(schema, { limit: 0, rate: 0 }), ['limit must be at least 1', 'rate must be above 0'])
  assert.deepEqual(messagesOf(schema, { rate: 1 }), ['rate must be below 1'])
})

test('a reference with a blank is refused with the form it must have', () => {
  const schema = Type.Object({ externalReference: ExternalReference })

  assert.deepEqual(messagesOf(schema, { externalReference: 'order 1' }), [
    'externalReference must be 1 to 100 printable ASCII characters without spaces',
  ])
  assert.deepEqual(messagesOf(schema, { externalReference: 'order-1' }), [])
})
