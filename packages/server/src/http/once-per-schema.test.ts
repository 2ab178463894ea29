import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TSchema, Type } from 'typebox'
import { oncePerSchema } from './once-per-schema.ts'

test('schemas of equal content are compiled once, and any difference is compiled again', () => {
  const compiled: TSchema[] = []
  const compile = oncePerSchema((schema) => compiled.push(schema))
  const amount = (maxLength: number) => Type.Object({ amount: Type.String({ maxLength }) })

  assert.equal(compile(amount(10)), compile(amount(10)))
  assert.notEqual(compile(amount(11)), compile(amount(10)))
  assert.notEqual(compile(Type.Partial(amount(10))), compile(amount(10)))
  assert.equal(compiled.length, 3)
})

test('a schema that cannot be compiled fails each time', () => {
  const compile = oncePerSchema((): string => {
    throw new Error('a request string without maxLength')
  })

  for (const _ of [1, 2]) assert.throws(() => compile(Type.String()), /without maxLength/)
})
