import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { type WebhookEvent, webhooks } from '@malipo/sdk'
import type { Command } from 'commander'
import { until } from '../../server/src/dev-stack/until.ts'
import { addToManifest, fileOf } from '../../server/src/ledger/archive/manifest.ts'
import { createContents, writeLines } from '../../server/src/ledger/archive/month-file.ts'
import { startFullRun } from '../../server/src/ledger/check/resume.ts'
import { sealHeads } from '../../server/src/ledger/seals.ts'
import { putQuestion } from '../../server/src/payments/model/store.ts'
import { newTransactionId, readId, showId } from '../../server/src/platform/ids.ts'
import { sendHouseCallback } from '../../server/src/testing/house-callbacks.ts'
import { payOut, payoutInDoubt, quote } from '../../server/src/testing/paying.ts'
import { testPerson } from '../../server/src/testing/people.ts'
import type { CliEnvironment } from './cli-environment.ts'
import { exitCodes } from './exit-codes.ts'
import { commandsOf, guideOf, pathOf } from './guide.ts'
import { buildProgram, createProgram } from './program.ts'
import { commandLine } from './testing/command-line.ts'
import { openShop, type Shop } from './testing/shop.ts'
import { installationOf, saveLogin } from './testing/staff.ts'

const nowhere = { variables: {}, actor: 'wanjiru', write: () => undefined, writeError: () => undefined }
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const all = commandsOf(buildProgram(nowhere))

const everything = (command: Command): Command[] => [command, ...command.commands.flatMap(everything)]

test("every command's help ends with at least two examples of that command", async () => {
  const run = commandLine({})

  for (const command of everything(buildProgram(nowhere))) {
    const path = pathOf(command)
    const examples = guideOf(command)?.examples ?? []
    const { code, out } = await run(...path.split(' ').slice(1), '--help')
    assert.equal(code, exitCodes.done, path)
    assert.ok(examples.length >= 2, `${path} has ${examples.length} examples`)
    assert.ok(out.endsWith(`\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}\n`), path)
    assert.doesNotMatch(out, /undefined|\[object/, path)
  }
})

test('sentences in the help fit terminals of 80 and 60 columns', async () => {
  for (const columns of [80, 60]) {
    const run = commandLine({}, { terminal: { columns } })
    for (const command of everything(buildProgram(nowhere))) {
      const { out } = await run(...pathOf(command).split(' ').slice(1), '--help')
      const sentences = out.split('\n').filter((line) => !line.startsWith('  '))
      assert.deepEqual(
        sentences.filter((line) => line.length > columns),
        [],
        pathOf(command),
      )
    }
  }
})

test('every example names the command of its help', () => {
  for (const command of all) {
    const path = pathOf(command)
    for (const example of guideOf(command)?.examples ?? []) {
      const typed = example.replace(/^cat \S+ \| /, '')
      // `list` is the default command of a group and may be left out.
      assert.ok(typed.startsWith(path) || typed.startsWith(path.replace(/ list$/, '')), example)
    }
  }
})

/** Splits a line as a shell does. */
const wordsOf = (line: string) =>
  [...line.matchAll(/((?:[^\s'"]|'[^']*'|"[^"]*")+)/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))

/** Everything that the examples need: a merchant, staff, files and a receiver. */
async function stage(t: TestContext) {
  const shop = await openShop(t)
  const settings = { ...(await installationOf(shop.malipo)), MALIPO_PORT: '0', MALIPO_WEBHOOK_SECRET: secret }
  const variables = { ...shop.variables, ...settings }
  const admin = await testPerson(shop.malipo, { operator: ['admin'], kind: 'cli' })
  const colleague = await testPerson(shop.malipo, { operator: ['admin'] })
  saveLogin(variables, shop.malipo, admin)
  await quote(shop.malipo, 'USD/KES', '128.50', '130.25')
  const receiver = await openReceiver(t)
  await commandLine(variables)('webhooks', 'url', receiver)
  shop.file(
    'wages.csv',
    'externalReference,amount,currency,country,accountName,accountNumber\nwage-1,100,KES,KE,Juma,+254712345678\n',
  )
  shop.file('secret.txt', secret)
  shop.file('cells.toml', '[cells.0]\nservers = ["10.0.0.1:8080"]\n')
  const line = {
    time: '2026-11-15T10:00:00.000Z',
    level: 'info',
    msg: 'refused',
    method: 'POST',
    status: 422,
    durationMs: 3,
  }
  shop.file('service.log', `${JSON.stringify({ ...line, route: '/api/b2b/fiat/payout', requestId: 'r-1' })}\n`)
  return { shop, variables, receiver, admin, colleague }
}

async function openReceiver(t: TestContext): Promise<string> {
  const orders = new Map<string, string>()
  const paid = ({ data }: WebhookEvent) => orders.set(data.externalReference, data.status)
  const handle = webhooks.handler({ secret, on: { transaction_updated: paid } })
  const server = createServer((request, response) => {
    if (request.method !== 'GET') return void handle(request, response)
    response.end(orders.get(request.url?.split('/').at(-1) ?? ''))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** A payment in the state that the command needs. */
async function paymentFor(path: string, example: string, { malipo, as, merchantId }: Shop): Promise<string> {
  const { publicKey, apiKey } = await malipo.operator.keys.create(merchantId, { env: 'sandbox' })
  const merchant = await malipo.as({ publicKey, apiKey })
  if (path.startsWith('malipo payments') && !path.endsWith('show')) {
    await malipo.simulator.setFault({ provider: 'pawapay', operation: 'payout', mode: 'callback_never' })
    const { id } = await payoutInDoubt(malipo, merchant)
    await malipo.later(60) // Until the request cannot be in flight.
    await malipo.ask('update sessions set proved_at = record_time()') // So that the staff's login is not too old for money.
    return id
  }
  if (path !== 'malipo charge authorise') return (await payOut(merchant)).id
  const run = as({})
  const card = [
    'charge',
    'card',
    '--amount',
    '100',
    '--currency',
    'NGN',
    '--number',
    '5531886652142950',
    '--wait',
    '--json',
  ]
  const { transactionId } = JSON.parse((await run(...card)).out) as { transactionId: string }
  if (example.includes('--type pin')) return transactionId
  await run('charge', 'authorise', transactionId, '--type', 'pin', '--value', '1234')
  await until('the code to be asked for', async () =>
    (await run('transactions', 'get', transactionId)).out.includes('type otp'),
  )
  return transactionId
}

/** Replaces the ids that end in … with new real ids. */
async function realIds(path: string, example: string, staged: Awaited<ReturnType<typeof stage>>): Promise<string> {
  const { shop, variables } = staged
  const { operator } = shop.malipo
  const order = { name: 'Duka', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
  const { id: merchant } = await operator.merchants.create(order)
  if (path.endsWith('unfreeze')) await operator.merchants.freeze(merchant, 'a test')
  if (example.includes('resume pawapay')) await operator.providers.pause('pawapay', { env: 'live', reason: 'a test' })
  const pair = await operator.keys.create(merchant, { env: 'sandbox' })
  shop.file('key.txt', pair.apiKey)
  const payment = example.includes('txn_0193…') ? await paymentFor(path, example, shop) : ''
  const heldRate = path.startsWith('malipo rates') ? await holdRate(shop) : ''
  const { out } = await commandLine(variables)('webhooks', '--json', '--limit', '1')
  const [{ id: webhook = '' } = {}] = example.includes('wh_0193…') ? (JSON.parse(out) as { id: string }[]) : []
  return example
    .replaceAll('mer_0193…', merchant)
    .replaceAll('pk_test_…', pair.publicKey)
    .replaceAll('txn_0193…', payment)
    .replaceAll('wh_0193…', webhook)
    .replaceAll('we_0193…', await newEndpoint(example, staged))
    .replaceAll('person_0193…', example.includes('person_0193…') ? (await testPerson(shop.malipo, staff)).id : '')
    .replaceAll('role_0193…', example.includes('role_0193…') ? await heldRole(shop) : '')
    .replaceAll('machine_0193…', example.includes('machine_0193…') ? await newMachine(shop) : '')
    .replaceAll('prp_0193…', example.includes('prp_0193…') ? await newProposal(path, staged) : '')
    .replaceAll('case_0193…', example.includes('case_0193…') ? await openCase(shop) : '')
    .replace(/(confirm|reject) 17/, `$1 ${heldRate}`)
    .replaceAll('aud_0193…', (await operator.audit.list({ limit: 1 }))[0]?.id ?? '')
    .replaceAll('cb_0193…', example.includes('cb_0193…') ? await receiveCallback(shop) : '')
}

/** Replaces an account, and the folder of an archive. */
async function ofArchive(path: string, example: string, shop: Shop): Promise<string> {
  if (!example.includes('malipo-archive')) return example
  const folder = path.endsWith('restore') ? await archiveJanuary(shop) : join(shop.home, 'archive')
  return example.replace('acc_0193…', await accountOf(shop)).replace('/var/backups/malipo-archive', folder)
}

async function accountOf({ malipo }: Shop): Promise<string> {
  const [wallet] = await malipo.ask<{ id: string }>('select id from wallets order by credits_posted desc limit 1')
  return showId('account', wallet?.id ?? '')
}

/** January 2025 is archived, with one transfer; what an earlier example restored is gone. Returns the folder of the files. */
async function archiveJanuary({ malipo, home }: Shop): Promise<string> {
  const folder = mkdtempSync(join(home, 'january-'))
  const partial = join(folder, 'partial')
  await sealHeads(malipo.ctx.db.write)
  await malipo.ask(`set role malipo_owner;
    create table if not exists transfers_202501 partition of transfers for values from (id_at('2025-01-01Z')) to (id_at('2025-02-01Z'));
    truncate transfers_202501;
    reset role`)
  const [seal] = await malipo.ask<{ number: number; hash: string }>(
    `select number::int, encode(hash, 'hex') as hash from ledger_seals order by ledger_seals.number desc limit 1`,
  )
  const id = newTransactionId(Date.parse('2025-01-15T00:00:00Z'), 0)
  const line = [id, 0, 0, 'transfer', 'test', randomUUID(), randomUUID(), 100, 'KES', '\\N', '\\N', '\\N', 3, 1].join(
    '\t',
  )
  const hash = await writeLines(partial, Readable.from([[line]]))
  const contents = createContents()
  contents.add([line])
  const [month, file] = ['2025-01', fileOf('2025-01', hash)]
  renameSync(partial, join(folder, file))
  const listed = { month, file, sha256: hash.toString('hex'), bytes: 0, seal: seal ?? { number: 0, hash: '' } }
  await addToManifest(folder, 0, { ...listed, ...contents.sum() })
  await malipo.ask(
    `insert into archived_months (month, transfers, file_hash, below, retained_transfers, retained_hash)
     values ('2025-01-01', 1, $1, 4, 0, sha256(''))`,
    [hash],
  )
  return folder
}

/** The others are deleted: a merchant may have only a few. */
async function newEndpoint(
  example: string,
  { shop, variables, receiver }: Awaited<ReturnType<typeof stage>>,
): Promise<string> {
  if (!example.includes('we_0193…')) return ''
  await shop.malipo.ask('delete from added_webhook_endpoints')
  const { out } = await commandLine(variables)('endpoints', 'add', receiver, '--json')
  return (JSON.parse(out) as { id: string }).id
}

async function heldRole({ malipo }: Shop): Promise<string> {
  const { person_id } = await testPerson(malipo, { operator: ['support'] })
  const [role] = await malipo.ask<{ id: string }>('select id from memberships where person_id = $1', [person_id])
  return showId('membership', role?.id ?? '')
}

async function newMachine({ malipo }: Shop): Promise<string> {
  const order = { name: `example ${randomUUID()}`, permissions: ['payments:read'] }
  return (await malipo.operator.machines.create(order)).id
}

/** One withdraws and collects only one's own proposals, and decides only about those of others. */
async function newProposal(path: string, { admin, colleague }: Awaited<ReturnType<typeof stage>>): Promise<string> {
  const [maker, other] = /withdraw|collect/.test(path) ? [admin, colleague] : [colleague, admin]
  const order = { name: `example ${randomUUID()}`, permissions: ['payments:read'], reason: 'a test' }
  const { body } = await maker.call('POST', '/operator/v1/machines', order)
  const { proposalId } = body['data'] as { proposalId: string }
  if (path.endsWith('collect'))
    await other.call('POST', `/operator/v1/proposals/${proposalId}/approve`, { reason: 'a test' })
  return proposalId
}

async function receiveCallback({ malipo }: Shop): Promise<string> {
  await sendHouseCallback(malipo.url, { key: 'order-17' })
  const [found] = await malipo.operator.callbacks.list({ payment: 'order-17', limit: 1 })
  return found?.id ?? ''
}

/** A suspense case: the provider collected more than the charge, and the operator decides about the rest. */
async function openCase({ malipo }: Shop): Promise<string> {
  const { call } = await malipo.merchant()
  const order = { amount: 100, currency: 'KES', phoneNumber: '+254703456789', externalReference: randomUUID() }
  const { body } = await call('POST', '/api/b2b/fiat/deposit/momo', order)
  const id = String(body['transactionId'])
  await malipo.comesTo(id, 'successful')
  const transaction_id = readId('transaction', id) ?? ''
  const question = await putQuestion(malipo.ctx.db.write, transaction_id, 1)
  const providerStatus = { state: 'successful', settled: { amount: 15_000n, currency: 'KES' } } as const
  await malipo.ctx.resolver.submit({
    transaction_id,
    attempt: 1,
    cause: 'query',
    question,
    observation: { kind: 'reported', providerStatus },
  })
  const cases = await malipo.operator.suspense.list({ limit: 1000 })
  return cases.find(({ transactionId }) => transactionId === id)?.id ?? ''
}

/** Holds a rate that jumped, and returns its number. */
async function holdRate({ malipo }: Shop): Promise<string> {
  const [held] = await malipo.ask<{ id: string }>(
    `insert into held_rates (env, base, quote, at, buy, sell, provider, last_buy, last_sell, last_at)
     values ('sandbox', 'USD', 'KES', record_time(), 1290, 1300, 'house', 129, 130, record_time()) returning id`,
  )
  return held?.id ?? ''
}

/** Writes a webhook to body.json and puts its headers into the example. */
function signedLike(example: string, { file }: Shop): string {
  const body = '{"id":"wh_1","event":"transaction_updated"}'
  file('body.json', body)
  const headers = webhooks.testHeaders(body, secret)
  return example.replaceAll(/'(webhook-\w+): [^']*'/g, (_, name: keyof typeof headers) => `'${name}: ${headers[name]}'`)
}

async function runExample(path: string, example: string, staged: Awaited<ReturnType<typeof stage>>) {
  const { shop, variables, receiver } = staged
  const known = await ofArchive(path, example, shop)
  if (example.includes('--resume')) await startFullRun(shop.malipo.ctx.db.write, { isResumed: false }) // Interrupted at once.
  const ready = await realIds(path, path.endsWith('webhooks verify') ? signedLike(known, shop) : known, staged)
  const [, source, typed = ''] = /^(?:cat (\S+) \| )?(.*?)(?: > \S+)?$/.exec(ready) ?? []
  const [, ...args] = wordsOf(typed)
    .map((word) => (/^[a-z]+\.(csv|txt|json|log|xml)$/.test(word) ? join(shop.home, word) : word))
    .map((word) => word.replace('http://localhost:3000', receiver).replace('http://127.0.0.1:8080', shop.malipo.url))
  const end = new AbortController()
  let [out, err] = ['', '']
  const cli: CliEnvironment = {
    variables,
    actor: 'wanjiru',
    folder: shop.home,
    write: (text) => {
      out += text
      if (out.includes('Listening')) end.abort()
    },
    writeError: (text) => {
      err += text
      if (err.includes('Listening')) end.abort()
    },
    signal: end.signal,
    run: async () => 0,
    ...(source !== undefined && { input: Readable.from([readFileSync(join(shop.home, source))]) }),
  }
  const code = await createProgram(cli)(args)
  return { code, out, err }
}

const staff = { operator: ['support'] } as const

/** Done, a proposal that waits for another person, or the doctor's findings about the test servers. */
const isFine = (code: number, out: string, err: string) =>
  code === exitCodes.done ||
  (code === exitCodes.proposed && out.includes('prp_')) ||
  (code === exitCodes.checkFailed && err.includes('Failed: fsync, full_page_writes.'))

test('every example runs as written, with real ids', { timeout: 180_000 }, async (t) => {
  const staged = await stage(t)

  for (const command of all)
    for (const example of guideOf(command)?.examples ?? []) {
      const path = pathOf(command)
      const { code, out, err } = await runExample(path, example, staged)
      assert.ok(isFine(code, out, err), `${example}\n${out}${err}`)
      if (example.includes('--json') && path !== 'malipo listen')
        assert.doesNotThrow(() => JSON.parse(out), `${example}\n${out}`)
      if (path.startsWith('malipo payments')) await staged.shop.malipo.simulator.clearFaults()
    }
})
