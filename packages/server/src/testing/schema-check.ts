import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

type Check = (value: unknown) => string | undefined

const compiled = new WeakMap<object, Check>()

/** The first mismatch between a value and a JSON schema, if any. */
export function misfit(schema: object, value: unknown): string | undefined {
  const check = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, check)
  return check(value)
}

function compile(schema: object): Check {
  const validator = Compile(schema as TSchema)
  return (value) => {
    if (validator.Check(value)) return undefined
    const [error] = validator.Errors(value)
    return error ? `${error.instancePath || 'the body'} ${error.message}` : 'does not fit'
  }
}
