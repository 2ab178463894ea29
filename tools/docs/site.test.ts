import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anchorsOf, descriptionOf, fencesOf, leadOf, linksOf } from './markdown.ts'
import { siteProblems } from './site-check.ts'
import { diagramAlt, diagrams } from './site-diagram.ts'
import { knownErrors } from './site-operations.ts'
import { sitePage } from './site-pages.ts'

/** A built site of these pages. */
function site(t: TestContext, pages: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-site-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(pages)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const wholeHead = {
  title: 'Malipo',
  description: 'Malipo takes and sends payments across Africa.',
  image: '/share.png',
}

/** A page whose title, description and share image are right, unless said otherwise. */
function html(body: string, head: Partial<typeof wholeHead> = {}): string {
  const { title, description, image } = { ...wholeHead, ...head }
  const share = image === '' ? '' : `<meta property="og:image" content="${image}"/>`
  return `<title>${title}</title><meta name="description" content="${description}"/>${share}${body}`
}

test('a picture in two colours follows the theme of the page', () => {
  const picture =
    '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="tour/home-dark.webp">\n  <img src="tour/home-light.webp" width="900" alt="Home">\n</picture>'

  const page = sitePage('guides/tour', 'docs/guides/tour.md', `# Tour\n\nA tour.\n\n${picture}\n`)

  const images =
    '<img class="only-light" src="/guides/tour/home-light.webp" width="900" alt="Home"><img class="only-dark" src="/guides/tour/home-dark.webp" width="900" alt="Home">'
  assert.ok(page.text.endsWith(`${images}\n`), page.text)
})

test('a page of the site has its document’s title, and links to pages instead of files', () => {
  const text =
    '<!-- made -->\n\n# Pay *out*\n\nHow to pay.\n\nSee [states](../concepts/states.md#how-long), [all](../README.md), [this](#that), [spec](../reference/openapi.json), [why](../../ARCHITECTURE.md) and [them](https://example.com).\n'

  const page = sitePage('guides/pay-out', 'docs/guides/pay-out.md', text)

  assert.equal(page.path, 'guides/pay-out.md')
  assert.match(page.text, /^---\ntitle: "Pay out"\ndescription: "How to pay."\n---\n/)
  assert.deepEqual(linksOf(page.text), [
    '/concepts/states/#how-long',
    '/',
    '#that',
    '/reference/openapi.json',
    '/project/architecture/',
    'https://example.com',
  ])
  assert.doesNotMatch(page.text, /^# /m)
})

test('fence options for our scripts are hidden, and the name of a file is shown', () => {
  const text = '# A\n\n```sh skip="why"\nx\n```\n\n```js title="a.mjs"\nx\n```\n'

  assert.deepEqual(
    fencesOf(sitePage('a', 'docs/a.md', text).text).map(({ language, options }) => [language, options.get('title')]),
    [
      ['sh', undefined],
      ['js', 'a.mjs'],
    ],
  )
})

test('a document’s link to a file outside the site fails the build', () => {
  assert.throws(() => sitePage('a', 'docs/a.md', '# A\n\n[code](../packages/server/src/main.ts)\n'), /not on the site/)
})

test('a site whose links resolve and that loads nothing from elsewhere passes', (t) => {
  const folder = site(t, {
    'index.html': html(
      '<a href="/guides/">x</a><a href="guides/#part">x</a><img src="/a.svg" alt="A"><img src="/b-light.svg" alt="B"><img src="/b-dark.svg" alt="B"><a href="https://example.com/">x</a>',
    ),
    'guides/index.html': html(
      '<h2 id="part">x</h2><a href="../">x</a><a href="#part">x</a><script src="/a.js"></script>',
      { title: 'Guides | Malipo', image: 'https://docs.example/share.png' },
    ),
    'share.png': '',
    'a.svg': '<svg><style>@media (prefers-color-scheme: dark) {}</style></svg>',
    'b-light.svg': '',
    'b-dark.svg': '',
    'a.js': '',
    'a.css': '@font-face { src: url("/a.woff") }',
    'llms.txt': '- [Guides](guides.md): how',
    'guides.md': '# Guides',
  })

  assert.deepEqual(siteProblems(folder), [])
})

test('a dead link, a dead anchor, and a resource loaded from another machine are found', (t) => {
  const wrong: Readonly<Record<string, string>> = {
    '<a href="/nowhere/">x</a>': 'which is not there',
    '<a href="/#nowhere">x</a>': 'no such place',
    '<script src="https://cdn.example/a.js"></script>': 'fetches https://cdn.example/a.js',
    '<video src="//cdn.example/a.mp4"></video>': 'fetches //cdn.example/a.mp4',
    '<link rel="stylesheet" href="https://fonts.example/a.css">': 'fetches https://fonts.example/a.css',
    '<style>@import "https://fonts.example/b.css"</style>': 'fetches https://fonts.example/b.css',
  }

  for (const [body, complaint] of Object.entries(wrong)) {
    const found = siteProblems(site(t, { 'index.html': html(body), 'share.png': '' }))
    assert.equal(found.length, 1, body)
    assert.ok(found[0]?.includes(complaint), found[0])
  }
  assert.equal(siteProblems(site(t, { 'a.css': '' })).length, 1)
  const listed = { 'index.html': html(''), 'share.png': '', 'llms.txt': '- [Guides](guides.md): how' }
  assert.deepEqual(siteProblems(site(t, listed)), ['llms.txt links to guides.md, which is not there'])
})

test('a wrong title, a cut description, a picture for one colour and a missing one are found', (t) => {
  const planted: readonly (readonly [string, string])[] = [
    [html('', { title: 'Malipo | Malipo' }), 'has the title "Malipo | Malipo"'],
    [html('', { description: 'Malipo takes and sends payments acro' }), 'not a whole sentence'],
    [html('', { description: '' }), 'not a whole sentence'],
    [html('', { image: '' }), 'has no og:image'],
    [html('', { image: '/gone.png' }), '/gone.png, which is not there'],
    [
      html('<img src="/gone-light.webp" alt="C"><img src="/gone-dark.webp" alt="C">'),
      '/gone-light.webp, which is not there',
    ],
    [html('<img src="/a.svg">'), 'without an alt text'],
    [html('<img src="/b-light.svg" alt="B">'), 'in one colour only'],
    [html('<img src="/c.svg" alt="C">'), 'in one colour only'],
  ]
  const followsTheme = '<style>@media (prefers-color-scheme: dark) {}</style>'
  const files = { 'share.png': '', 'a.svg': followsTheme, 'b-light.svg': '', 'c.svg': '', 'gone-dark.webp': '' }

  for (const [page, complaint] of planted) {
    const found = siteProblems(site(t, { 'index.html': page, ...files }))
    assert.equal(found.length, 1, page)
    assert.ok(found[0]?.includes(complaint), found[0])
  }
  const same = html('', { title: 'States | Malipo' })
  const twice = siteProblems(site(t, { ...files, 'index.html': html(''), 'a/index.html': same, 'b/index.html': same }))
  assert.equal(twice.length, 1)
  assert.match(twice[0] ?? '', /share the title "States \| Malipo"/)
})

test('a description is the lead’s first sentences, whole', () => {
  const text = `# A\n\nFirst one. Second one: ${'word '.repeat(50)}end. Third.\n`

  assert.equal(descriptionOf(text, 40), 'First one. Third.')
  assert.equal(descriptionOf('# A\n\nOnly these:\n\n- a\n'), 'Only these.')
  assert.equal(descriptionOf(`# A\n\n${'word '.repeat(50)}end. Next.\n`), `${'word '.repeat(50)}end.`)
})

test('an operation has its method, its fields as rows, and its request and response apart', () => {
  const text = [
    '# Payouts\n\nMoney out.\n\n## Pay out\n\n`POST /api/b2b/fiat/payout` · scope `payouts:write`\n',
    '| Send | type | what it is |\n|---|---|---|\n| `amount` | number, required | What the *beneficiary* gets |\n',
    '```sh again\ncurl -s "$MALIPO_URL/api/b2b/fiat/payout" \\\n  -d \'{"amount":300,"currency":"KES","country":"KE","destination":"MoMo"}\'\n```\n',
    '```json\n{ "success": true }\n```\n',
    'Refused with [`INSUFFICIENT_FUNDS`](../errors.md#insufficient_funds), and [as every call](README.md#refusals).\n',
  ].join('\n')
  const errors = knownErrors('### INSUFFICIENT_FUNDS\n\n422: **The wallet does not hold enough.** Cause.\n')

  const page = sitePage('reference/api/payouts', 'docs/reference/api/payouts.md', text, errors).text

  assert.match(page, /description: "This page has the request, the response and the errors of: Pay out."/)
  assert.match(page, /<span class="method post">POST<\/span><code>\/api\/<wbr>b2b\/<wbr>fiat\/<wbr>payout<\/code>/)
  assert.match(page, /`amount` <span class="type">number<\/span> <span class="required">required<\/span>/)
  assert.match(page, /What the \*beneficiary\* gets\./)
  assert.match(
    page,
    /<span class="status">422<\/span>\n\n\[`INSUFFICIENT_FUNDS`\]\(\/reference\/errors\/#insufficient_funds\)/,
  )
  const [request, response] = fencesOf(page)
  assert.deepEqual([request?.options.get('title'), response?.options.get('title')], ['Request', 'Response'])
  assert.match(request?.text ?? '', /-d '\{\n {4}"amount": 300,/)
  assert.doesNotMatch(page, /^\|/m)
})

test('code in a table breaks between its words only', () => {
  const page = sitePage('a', 'docs/a.md', '# A\n\nLead.\n\n| `a` | `npm test` |\n|---|---|\n| `b-c` | `x_y --z` |\n')

  assert.match(page.text, /\| `b-c` \| <code class="phrase"><span>x&#95;y<\/span> <span>&#45;&#45;z<\/span><\/code> \|/)
})

test('both READMEs show the drawing wide and narrow, light and dark, with its alt text', () => {
  for (const path of ['README.md', 'docs/README.md']) {
    const text = readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

    for (const file of diagrams().keys()) assert.ok(text.includes(`"${posix.relative(dirname(path), file)}"`), path)
    assert.ok(text.includes(`alt="${diagramAlt}"`), path)
  }
})

test('the parser reads fences in lists, repeated headings, and links and headings in code', () => {
  const text =
    '# A\n\n*First* paragraph with [a link](x.md).\n\n## Same\n\n1. do\n\n   ```sh name="b c" word\n   # not a heading [x](y.md)\n   ```\n\n## Same\n\n<a id="named"></a>\n'

  assert.deepEqual([...anchorsOf(text)], ['a', 'same', 'same-1', 'named'])
  assert.deepEqual(linksOf(text), ['x.md'])
  assert.equal(leadOf(text), 'First paragraph with a link.')
  const [fence] = fencesOf(text)
  assert.deepEqual([fence?.line, fence?.language, fence?.words, fence?.options.get('name')], [9, 'sh', ['word'], 'b c'])
  assert.equal(fence?.text, '# not a heading [x](y.md)\n')
})
