import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../../packages/server/src/testing/malipo.ts'
import { testPerson } from '../../packages/server/src/testing/people.ts'
import { buildDashboard, isDashboardStale } from '../../tools/dashboard/build.ts'

const development = {
  MALIPO_PUBLIC_URL: 'http://localhost:8080',
  MALIPO_DEVELOPMENT: 'on',
  MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
  MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
}

const pages = [
  ...[
    '/sign-in',
    '/sign-in?next=//attacker.example',
    '/invitation',
    '/device',
    '/account',
    '/sign-in/link',
    '/handset',
  ],
  ...['/dashboard', '/dashboard/', '/dashboard/m/mer_1/live/payments', '/dashboard/operator', '/dashboard/nothing'],
  ...['/dashboard/index.html', '/docs', '/docs/errors'],
]

async function setUp(t: TestContext) {
  if (isDashboardStale()) assert.equal(buildDashboard(), undefined)
  const malipo = await testMalipo(t, development)
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(malipo.url + path, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { malipo, get }
}

/** The sources that a policy allows, by directive. */
function directivesOf(policy: string): ReadonlyMap<string, readonly string[]> {
  const parts = policy.split(';').map((part) => part.trim().split(/\s+/))
  return new Map(parts.map(([name = '', ...sources]) => [name, sources]))
}

const harmless = /^'(?:none|self|sha256-[A-Za-z0-9+/]{43}=)'$/

test('no page may be framed, run foreign or inline code, send a form, or name its address', async (t) => {
  const { get } = await setUp(t)

  for (const path of pages) {
    const { status, headers, text } = await get(path)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html/, path)
    const policy = directivesOf(headers.get('content-security-policy') ?? '')
    assert.deepEqual(policy.get('default-src'), ["'none'"], path)
    for (const name of ['frame-ancestors', 'base-uri', 'form-action'])
      assert.deepEqual(policy.get(name), ["'none'"], `${path} ${name}`)
    for (const [name, sources] of policy)
      for (const source of sources) assert.match(source, harmless, `${path} ${name}`)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    // A browser that keeps a page shows it on the way back after signing out.
    if (!path.startsWith('/docs')) assert.equal(headers.get('cache-control'), 'no-store', path)
    assert.doesNotMatch(text, /\son\w+="|\sstyle="|(?:src|href)="(?:https?:)?\/\//, path)
  }
})

test('a refusal of a page, of a file and of the APIs may not be framed or run either', async (t) => {
  const { get } = await setUp(t)
  const refused = [
    ...[
      '/nothing',
      '/sign-in/nothing',
      '/dashboard/assets/nothing.js',
      '/dashboard/../package.json',
      '/%',
      '/handset/v1',
    ],
    ...['/dashboard/v1/nothing', '/operator/v1/nothing', '/people/v1/me', '/api/b2b/users', '/dashboard/%2e%2e%2fx.js'],
  ]

  for (const path of refused) {
    const { status, headers } = await get(path)
    assert.ok(status >= 400, `${path} ${status}`)
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", path)
    assert.match(headers.get('content-type') ?? '', /^application\/json/, path)
    assert.equal(headers.get('cache-control'), 'no-store', path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
  }
})

test('files of the dashboard have their own type, and no file outside its folder is served', async (t) => {
  const { get } = await setUp(t)
  const { text } = await get('/dashboard')
  const files = [...text.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g)].map(([, path = '']) => path)

  assert.ok(files.length > 1, text)
  for (const path of files) {
    const { status, headers } = await get(path)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /javascript|css|svg|woff2/, path)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
  }
  for (const path of [
    '/dashboard/..%2fpackage.json',
    '/dashboard/assets/%2e%2e/%2e%2e/package.json',
    '/dashboard/__proto__.js',
  ])
    assert.equal((await get(path)).status, 404, path)
})

interface Described {
  readonly paths: Readonly<Record<string, object>>
}

test('no browser or proxy may store what people read through the APIs', async (t) => {
  const { malipo, get } = await setUp(t)
  const merchant = await malipo.merchant()
  const roles = { operator: ['admin'], merchant: { id: merchant.id, roles: ['owner'] } } as const
  const { headers } = await testPerson(malipo, roles)
  const fill = { merchantId: merchant.id, env: 'sandbox' } as const

  for (const document of ['/operator/v1/openapi.json', '/dashboard/v1/openapi.json']) {
    const { paths } = JSON.parse((await get(document)).text) as Described
    for (const [template, methods] of Object.entries(paths)) {
      if (!('get' in methods)) continue
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => fill[name as keyof typeof fill] ?? 'nothing')
      const response = await get(path, headers)
      assert.equal(response.headers.get('cache-control'), 'no-store', path)
    }
  }
})

test('without MALIPO_DEVELOPMENT, or with a live provider, the handset does not exist', async (t) => {
  const live = { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9', MALIPO_PAWAPAY_TOKEN: 'a-token-of-sixteen' }
  for (const settings of [
    { ...development, MALIPO_DEVELOPMENT: 'off' },
    { ...development, ...live },
  ]) {
    const malipo = await testMalipo(t, settings)
    const own = { origin: malipo.url }
    assert.equal((await fetch(`${malipo.url}/handset`)).status, 404)
    for (const path of ['/handset/v1/prompts', '/handset/v1/answer'])
      assert.equal((await malipo.call('POST', path, own, { phoneNumber: '+254703456789' })).status, 404, path)
  }
})
