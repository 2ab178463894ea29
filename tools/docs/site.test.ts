import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { anchorsOf, fencesOf, leadOf, linksOf } from './markdown.ts'
import { siteTroubles } from './site-check.ts'
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
    'index.html':
      '<a href="/guides/">x</a><a href="guides/#part">x</a><img src="/a.svg"><a href="https://example.com/">x</a>',
    'guides/index.html': '<h2 id="part">x</h2><a href="../">x</a><a href="#part">x</a><script src="/a.js"></script>',
    'a.svg': '<svg/>',
    'a.js': '',
    'a.css': '@font-face { src: url("/a.woff") }',
    'llms.txt': '- [Guides](guides.md): how',
    'guides.md': '# Guides',
  })

  assert.deepEqual(siteTroubles(folder), [])
})

test('a dead link, a dead anchor, and a resource loaded from another machine are found', (t) => {
  const wrong: Readonly<Record<string, string>> = {
    '<a href="/nowhere/">x</a>': 'which is not there',
    '<a href="/#nowhere">x</a>': 'no such place',
    '<script src="https://cdn.example/a.js"></script>': 'fetches https://cdn.example/a.js',
    '<img src="//cdn.example/a.png">': 'fetches //cdn.example/a.png',
    '<link rel="stylesheet" href="https://fonts.example/a.css">': 'fetches https://fonts.example/a.css',
    '<style>@import "https://fonts.example/b.css"</style>': 'fetches https://fonts.example/b.css',
  }

  for (const [html, complaint] of Object.entries(wrong)) {
    const found = siteTroubles(site(t, { 'index.html': html }))
    assert.equal(found.length, 1, html)
    assert.ok(found[0]?.includes(complaint), found[0])
  }
  assert.equal(siteTroubles(site(t, { 'a.css': '' })).length, 1)
  const listed = { 'index.html': '', 'llms.txt': '- [Guides](guides.md): how' }
  assert.deepEqual(siteTroubles(site(t, listed)), ['llms.txt links to guides.md, which is not there'])
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
