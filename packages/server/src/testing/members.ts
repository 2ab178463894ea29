import assert from 'node:assert/strict'
import type { MerchantRole } from '../people/roles.ts'
import type { Owner } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { Malipo } from './malipo.ts'
import { type PersonOptions, type TestPerson, testPerson } from './people.ts'

/** A route of merchants' people, as the API's description lists it. */
export interface DashboardRoute {
  readonly method: string
  /** Below the merchant and environment, with parameters such as `{id}`. */
  readonly path: string
  readonly permission: string
  /** Whether its description names an error for a missing proof of presence. */
  readonly isSteppedUp: boolean
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { 'x-permission': string; responses: object }>>>>
}

const root = '/dashboard/v1/merchants/{merchantId}/{env}'

/** The routes that the running server declares. */
export async function dashboardRoutesOf({ call }: Malipo): Promise<DashboardRoute[]> {
  const { body } = await call('GET', '/dashboard/v1/openapi.json')
  const { paths } = body as unknown as Described
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.slice(root.length),
      permission: operation['x-permission'],
      isSteppedUp: JSON.stringify(operation.responses).includes('STEP_UP_REQUIRED'),
    })),
  )
  assert.ok(routes.length > 30, 'the description lists the routes')
  return routes
}

/** The path of a route for one merchant and environment. Its other parameters name nothing. */
export const pathIn = (merchantId: string, env: string, path: string) =>
  `/dashboard/v1/merchants/${merchantId}/${env}${path.replaceAll(/\{\w+\}/g, 'nothing')}`

/** An empty body: what a person may do is decided before the body is read. */
export const emptyBody = (method: string) => (method === 'GET' ? undefined : {})

/** A signed-in person with these roles in a merchant. */
export const member = (
  malipo: Malipo,
  merchantId: string,
  roles: readonly MerchantRole[],
  options: PersonOptions = {},
): Promise<TestPerson> => testPerson(malipo, { ...options, merchant: { id: merchantId, roles } })

/** Gives a person with this id the role approver in a merchant, as the superuser. */
export async function makeApprover(
  ask: (text: string, values: unknown[]) => Promise<unknown>,
  { merchant_id }: Pick<Owner, 'merchant_id'>,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  const personId = readId('person', id)
  const person = [personId, `${id}@example.com`, name]
  await ask('insert into people (id, email, name) values ($1, $2, $3) on conflict do nothing', person)
  await ask(
    `insert into memberships (id, person_id, merchant_id, role, granted_by)
     values (gen_random_uuid(), $1, $2, 'approver', 'test')`,
    [personId, merchant_id],
  )
}
