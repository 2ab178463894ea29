import type { TSchema } from 'typebox'

/**
 * The same compiler, which compiles a schema only once in a process: the sandbox and the dashboard serve the routes of the live API
 * again, most of them with schemas of their own that have the same content. Compiling them all took most of an api's start.
 */
export function oncePerSchema<Compiled>(compile: (schema: TSchema) => Compiled): (schema: TSchema) => Compiled {
  const known = new Map<string, Compiled>()
  return (schema) => {
    const content = JSON.stringify(schema)
    const compiled = known.get(content) ?? compile(schema)
    known.set(content, compiled)
    return compiled
  }
}
