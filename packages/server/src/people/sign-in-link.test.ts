import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testBrowser } from '../testing/browser.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { testPerson } from '../testing/people.ts'
import { peopleContext } from './people-context.ts'
import { createSignInLink } from './sign-in-link.ts'
import { disable } from './store.ts'

const developing = { MALIPO_PUBLIC_URL: 'http://localhost:8080', MALIPO_DEVELOPMENT: 'on' }

async function linkFor(malipo: Malipo, personId: string): Promise<{ link: string; code: string }> {
  const link = await createSignInLink(malipo.ctx.db.write, peopleContext(malipo.ctx), personId)
  return { link, code: new URL(link).hash.slice(1) }
}

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, developing)
  const person = await testPerson(malipo, { operator: ['admin'] })
  return { malipo, person, ...(await linkFor(malipo, person.person_id)) }
}

test('a link signs its person in once, present for the whole session, and says so in the audit trail', async (t) => {
  const { malipo, person, link, code } = await setUp(t)
  const browser = testBrowser(malipo)

  assert.equal((await browser.post('/sign-in/link', { code })).status, 200)

  const { id } = (await browser.get('/me')).body['data'] as { id: string }
  assert.equal(id, person.id)
  await malipo.ask(`update clock_offset set ahead = ahead + interval '20 minutes'`)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  assert.equal((await browser.post('/passkeys/options')).status, 200, 'needs presence')
  const again = await testBrowser(malipo).post('/sign-in/link', { code })
  assert.deepEqual([again.status, again.body['errorCode']], [401, 'SIGN_IN_FAILED'])
  const [entry] = await malipo.ask<{ how: string }>(
    `select detail ->> 'how' as how from audit_entries where action = 'session.sign_in' and subject = $1`,
    [person.id],
  )
  assert.equal(entry?.how, 'link')
  assert.match(link, /^http:\/\/localhost:8080\/sign-in\/link#[0-9a-f-]{36}\.[\w-]{43}$/)
})

test('a link that is too old, altered, or of a disabled person is refused', async (t) => {
  const { malipo, person, code } = await setUp(t)
  const refusal = async (sent: string) => (await testBrowser(malipo).post('/sign-in/link', { code: sent })).status
  const [id = '', secret = ''] = code.split('.')

  for (const wrong of [id, secret, `${id}.`, `${id}.${secret.slice(1)}a`, `${secret}.${id}`, "'.'", '-'])
    assert.equal(await refusal(wrong), 401, wrong)
  await malipo.ask(`update clock_offset set ahead = ahead + interval '901 seconds'`)
  t.after(() => malipo.ask(`update clock_offset set ahead = '0'`))
  assert.equal(await refusal(code), 401)
  const { code: next } = await linkFor(malipo, person.person_id)
  await malipo.ctx.db.write.transaction((tx) => disable(tx, person.person_id))
  assert.equal(await refusal(next), 401)
})

test('of many uses of one link at once, one signs in', async (t) => {
  const { malipo, code } = await setUp(t)

  const sent = Array.from({ length: 8 }, () => testBrowser(malipo).post('/sign-in/link', { code }))

  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, ...Array.from({ length: 7 }, () => 401)])
})

test('neither the code of a link nor its secret is stored or logged', async (t) => {
  const { malipo, code } = await setUp(t)
  const secret = code.split('.')[1] ?? ''

  await testBrowser(malipo).post('/sign-in/link', { code: `${code}x` })

  const [row] = await malipo.ask<{ text: string }>('select string_agg(c::text, $1) as text from challenges c', [' '])
  assert.doesNotMatch(row?.text ?? '', new RegExp(secret))
  assert.doesNotMatch(malipo.log.join('\n'), new RegExp(secret))
})

test('another site cannot sign a browser in by a link', async (t) => {
  const { malipo, code } = await setUp(t)

  const headers = { origin: 'https://elsewhere.example.com' }
  const refused = await malipo.call('POST', '/people/v1/sign-in/link', headers, { code })

  assert.deepEqual([refused.status, refused.body['errorCode']], [403, 'CROSS_SITE_REQUEST'])
})

const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-sixteen' }

for (const [where, settings] of Object.entries({
  'without MALIPO_DEVELOPMENT': { ...developing, MALIPO_DEVELOPMENT: 'off' },
  'with a live provider': { ...developing, ...live },
  'on a public address': { ...developing, MALIPO_PUBLIC_URL: 'https://pay.example.com' },
}))
  test(`${where} sign-in links and their page do not exist`, async (t) => {
    const malipo = await testMalipo(t, settings)
    const person = await testPerson(malipo, { operator: ['admin'] })
    const { code } = await linkFor(malipo, person.person_id)

    const responseOf = async (path: string) => {
      const { status, headers, body } = await testBrowser(malipo).post(path, { code })
      return [status, body['errorCode'], headers.getSetCookie()]
    }
    const pageOf = async (path: string) => (await fetch(malipo.url + path)).status

    assert.deepEqual(await responseOf('/sign-in/link'), await responseOf('/sign-in/no-such-path'))
    assert.equal(await pageOf('/sign-in/link'), await pageOf('/sign-in/no-such-path'))
    assert.notEqual(await pageOf('/sign-in/link'), 200)
  })

test('the page of a link runs its own script only, and sends no referrer', async (t) => {
  const malipo = await testMalipo(t, developing)

  const page = await fetch(`${malipo.url}/sign-in/link`)

  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self';/)
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
})
