import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, type Malipo, testMalipo } from '../testing/malipo.ts'
import { testPerson } from '../testing/people.ts'

const site = { MALIPO_PUBLIC_URL: 'https://pay.example.com', MALIPO_RATE_LIMIT_PEOPLE: '100000' }
const foreign = 'https://attacker.example'

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Every route of people and of the operator that the running server declares, with its parameters filled in. */
async function routesOf({ call: send }: Malipo, fill: Readonly<Record<string, string>>) {
  const routes: { method: string; path: string }[] = []
  for (const document of ['/operator/v1/openapi.json', '/dashboard/v1/openapi.json']) {
    const { paths } = (await send('GET', document)).body as unknown as Described
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods))
        routes.push({
          method: method.toUpperCase(),
          path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? 'nothing'),
        })
  }
  return routes
}

async function setUp(t: Parameters<typeof testMalipo>[0]) {
  const malipo = await testMalipo(t, site)
  const { id } = await malipo.merchant()
  const roles = { operator: ['admin'], merchant: { id, roles: ['owner'] } } as const
  const [person, other] = [await testPerson(malipo, roles), await testPerson(malipo, roles)]
  const routes = await routesOf(malipo, { merchantId: id, env: 'sandbox' })
  const changes = routes.filter(({ method }) => method !== 'GET')
  const isForSession = async ({ method, path }: (typeof routes)[number]) =>
    (await malipo.call(method, path, {}, {})).body['errorCode'] === 'SIGN_IN_REQUIRED'
  const bySession: typeof routes = []
  const open: typeof routes = []
  for (const route of changes) ((await isForSession(route)) ? bySession : open).push(route)
  return { malipo, person, other, routes, bySession, open }
}

test('no change by cookie is made for a page of another site, on any route of people and operators', async (t) => {
  const { malipo, person, other, bySession } = await setUp(t)
  const { cookie = '', origin = '', 'x-malipo-csrf': csrf = '' } = person.headers
  const senders: Readonly<Record<string, Record<string, string>>> = {
    'a form of another site': { cookie, origin: foreign, 'sec-fetch-site': 'cross-site' },
    'a form without an origin': { cookie },
    'a frame without an origin': { cookie, origin: 'null', 'x-malipo-csrf': csrf },
    'a sister site': { cookie, origin, 'sec-fetch-site': 'same-site', 'x-malipo-csrf': csrf },
    'a script of another site with the value': { cookie, origin: foreign, 'x-malipo-csrf': csrf },
    'a page of this site without the value': { cookie, origin, 'sec-fetch-site': 'same-origin' },
    'the value of another session': { cookie, origin, 'x-malipo-csrf': String(other.headers['x-malipo-csrf']) },
  }

  assert.ok(bySession.length > 70, `${bySession.length} routes`)
  for (const { method, path } of bySession)
    for (const [sender, headers] of Object.entries(senders)) {
      const { status, body } = await call(malipo.url, method, path, headers, {})
      assert.deepEqual([status, body['errorCode']], [403, 'CROSS_SITE_REQUEST'], `${method} ${path} by ${sender}`)
    }
})

test('what a form can send without asking is never read, on any route of people and operators', async (t) => {
  const { malipo, person, bySession, open } = await setUp(t)
  const kinds = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

  for (const { method, path } of [...bySession, ...open].filter((route) => route.method === 'POST'))
    for (const kind of kinds) {
      const headers = { ...person.headers, 'content-type': kind }
      const response = await fetch(malipo.url + path, { method, headers, body: '{"reason":"form"}' })
      assert.equal(response.status, 415, `${method} ${path} ${kind}`)
    }
})

test('a page of another site starts and ends no sign-in of this browser', async (t) => {
  const { malipo, open } = await setUp(t)
  const ofPeople = open.filter(({ path }) => path.startsWith('/people/'))

  assert.ok(ofPeople.length > 8, `${ofPeople.length} routes`)
  for (const { method, path } of ofPeople)
    for (const headers of [{ origin: foreign }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
      const { status, body, headers: received } = await call(malipo.url, method, path, headers, {})
      assert.deepEqual([status, body['errorCode']], [403, 'CROSS_SITE_REQUEST'], `${method} ${path}`)
      assert.deepEqual(received.getSetCookie(), [])
    }
})

test('no route lets the script of another site read its response', async (t) => {
  const { malipo, person, routes } = await setUp(t)
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-malipo-csrf' }

  for (const { method, path } of routes)
    for (const [by, headers] of [
      [method, { ...person.headers, origin: foreign, accept: 'application/json' }],
      ['OPTIONS', { origin: foreign, ...asked }],
    ] as const) {
      const response = await fetch(malipo.url + path, { method: by, headers })
      await response.body?.cancel()
      const allowed = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(allowed, [], `${by} ${path}`)
    }
})
