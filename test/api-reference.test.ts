/** Runs every command on `/docs` in order, as shown, and compares each status and response with the page. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { examples } from '../packages/server/src/http/reference/examples.ts'
import { openOperator } from '../packages/server/src/operate/operator.ts'
import { runBlocks } from '../scripts/doc-blocks.ts'
import { type Ground, openGround } from '../tools/docs/doc-ground.ts'
import { openSession } from '../tools/docs/doc-session.ts'

/** A section of the page: its commands, and the response they must get. */
interface Section {
  readonly id: string
  readonly requests: readonly string[]
  readonly status: string | undefined
  readonly response: string | undefined
}

function sectionsOf(page: string): Section[] {
  return page
    .split(/<section class="pair[^"]*" id="/)
    .slice(1)
    .map((text) => {
      const blocks = [...text.matchAll(/<figcaption>([^<]*)<\/figcaption>\s*<pre[^>]*>(.*?)<\/pre>/gs)]
      const response = blocks.find(([, caption]) => /^Response \d+$/.test(caption ?? ''))
      const requests = blocks.filter(([, caption]) => caption === 'Request').map(([, , code = '']) => plain(code))
      return {
        id: text.slice(0, text.indexOf('"')),
        requests,
        status: response?.[1]?.replace('Response ', ''),
        response: response && plain(response[2] ?? ''),
      }
    })
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
const plain = (code: string) =>
  code.replaceAll(/<[^>]*>/g, '').replaceAll(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)

/** The same as a page for the runner of documents. */
function blocksOf({ id, requests, status = '200', response }: Section): string {
  const rule = examples[id]?.isEventual ? ' again' : ''
  const commands = requests.map((command) => `\`\`\`sh status=${status}${rule}\n${command}\n\`\`\`\n`)
  return `${commands.join('\n')}${response === undefined ? '' : `\n\`\`\`json\n${response}\n\`\`\`\n`}`
}

let ground: Ground
before(async () => {
  ground = await openGround()
})
after(() => ground.stop())

test('every command on /docs gets the documented status and response', async () => {
  const reader = await ground.newReader()
  const operator = openOperator(reader, 'docs')
  const session = openSession(reader)
  const order = { env: 'sandbox', reason: 'a payout can be cancelled only before it is sent' } as const
  const page = await (await fetch(`${reader['MALIPO_URL']}/docs`)).text()
  const sections = sectionsOf(page).filter(({ requests }) => requests.length > 0)

  const complaints: string[] = []
  for (const section of sections) {
    if (section.id === 'postFiatPayoutsBulk') await operator.providers.pause('pawapay', order)
    complaints.push(...(await runBlocks({ path: `/docs#${section.id}`, text: blocksOf(section) }, session)))
    if (section.id === 'postFiatPayoutTransactionIdCancel') await operator.providers.resume('pawapay', order)
  }
  session.close()
  await operator.close()

  assert.deepEqual(complaints, [])
  const run = new Set(sections.map(({ id }) => id))
  assert.deepEqual(
    Object.keys(examples).filter((id) => !run.has(id)),
    [],
  )
})

test('a command that gets another status or response than the page shows is reported', async () => {
  const session = openSession(await ground.newReader())
  const section = {
    id: 'planted',
    requests: ['curl -s "$MALIPO_URL/api/b2b/users"'],
    status: '200',
    response: undefined,
  }
  const found = async (planted: Section) =>
    (await runBlocks({ path: '/docs#planted', text: blocksOf(planted) }, session)).length

  assert.equal(await found(section), 1)
  assert.equal(await found({ ...section, status: '401' }), 0)
  assert.equal(await found({ ...section, status: '401', response: '{ "success": true, "…": "" }' }), 1)
  session.close()
})
