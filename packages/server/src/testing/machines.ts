import { randomUUID } from 'node:crypto'
import { createMachine } from '../people/machines.ts'
import { peopleContext } from '../people/people-context.ts'
import type { OperatorPermission } from '../people/roles.ts'
import type { Malipo } from './malipo.ts'
import { breakGlass, type TestPerson } from './people.ts'

const machineExchange = '/operator/v1/auth/generate-bearer-token'

/** A caller with the token of a new machine of the operator. */
export async function testMachine(
  { ctx, call }: Malipo,
  permissions: readonly OperatorPermission[],
): Promise<TestPerson['call']> {
  const { publicKey, apiKey } = await ctx.db.write.transaction((tx) =>
    createMachine(tx, peopleContext(ctx), breakGlass, { name: `reports ${randomUUID()}`, permissions }),
  )
  const { body } = await call('POST', machineExchange, { 'api-key': apiKey }, { publicKey })
  const authorization = `Bearer ${String(body['token'])}`
  return (method, to, sent) => call(method, to, { authorization }, sent)
}
