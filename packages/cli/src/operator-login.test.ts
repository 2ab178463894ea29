import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createMachine } from '../../server/src/people/machines.ts'
import { peopleContext } from '../../server/src/people/people-context.ts'
import { breakGlass, testPerson } from '../../server/src/testing/people.ts'
import { exitCodes } from './exit-codes.ts'
import { operatorAccess } from './operator-access.ts'
import { openShop } from './testing/shop.ts'

/** Decides about the code as soon as the command prints it. */
function decider(decide: (userCode: string) => Promise<unknown>) {
  let out = ''
  return {
    output: () => out,
    write: (text: string) => {
      const [, userCode] = /code: ([A-Z]{4}-[A-Z]{4})/.exec(text) ?? []
      out += text
      if (userCode) decide(userCode).catch(() => undefined)
    },
  }
}

const silent = { actor: 'wanjiru', write: () => undefined, writeError: () => undefined }

test('staff log in by a code that they approve, and the session is saved owner-only', async (t) => {
  const { as, malipo, home, variables } = await openShop(t)
  const staff = await testPerson(malipo, { operator: ['support'] })
  const approve = decider((userCode) => staff.call('POST', '/people/v1/device-codes/approve', { userCode }))

  const login = await as({}, { write: approve.write })('login', '--operator')

  assert.equal(login.code, exitCodes.done, login.err)
  const path = join(home, '.config/malipo/operators.json')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.match(approve.output(), new RegExp(`Logged in to ${malipo.url} as ${staff.id}, for 12 hours`))
  const { url, token } = await operatorAccess({ ...silent, variables }, undefined)
  const me = await malipo.call('GET', '/people/v1/me', { authorization: `Bearer ${token}` })
  assert.deepEqual([url, (me.body['data'] as { id: string }).id], [malipo.url, staff.id])
  assert.ok(!approve.output().includes(token) && readFileSync(path, 'utf8').includes(token))
})

test('a denied login saves nothing, and operator commands then say how to log in', async (t) => {
  const { as, malipo, variables } = await openShop(t)
  const staff = await testPerson(malipo, { operator: ['support'] })
  const deny = decider((userCode) => staff.call('POST', '/people/v1/device-codes/deny', { userCode }))

  const login = await as({}, { write: deny.write })('login', '--operator')

  assert.equal(login.code, exitCodes.unauthorised, deny.output())
  assert.match(login.err, /^The sign-in of this command line was denied\./)
  await assert.rejects(operatorAccess({ ...silent, variables }, undefined), /Run malipo login --operator/)
})

test('a machine in the environment gets a token for its key pair, a wrong one is refused', async (t) => {
  const { malipo, variables } = await openShop(t)
  const order = { name: `export ${Date.now()}`, permissions: ['payments:read'] }
  const machine = await malipo.ctx.db.write.transaction((tx) =>
    createMachine(tx, peopleContext(malipo.ctx), breakGlass, order),
  )
  const keys = { MALIPO_OPERATOR_PUBLIC_KEY: machine.publicKey, MALIPO_OPERATOR_API_KEY: machine.apiKey }
  const access = (others: object) => operatorAccess({ ...silent, variables: { ...variables, ...others } }, undefined)

  const { url, token } = await access(keys)

  assert.deepEqual([url, token.split('.').length], [malipo.url, 3])
  await assert.rejects(access({ ...keys, MALIPO_OPERATOR_API_KEY: 'osk_wrong' }), /not a valid pair/)
})
