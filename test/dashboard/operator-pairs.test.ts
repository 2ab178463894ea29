import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../packages/server/src/dev-stack/until.ts'
import { exchange } from '../../packages/server/src/testing/malipo.ts'
import { payOut } from '../../packages/server/src/testing/paying.ts'
import { addAuthenticator, clickTwice, closed, confirm, countRequests, fill, reason } from './acting.ts'
import { look, openDashboard, site } from './open-dashboard.ts'

const kes = { country: 'KE', currency: 'KES' } as const
const float = { provider: 'pawapay', env: 'live', ...kes } as const
const payoutFee = { env: 'live', operation: 'payout', method: 'momo', currency: 'KES' } as const

interface Proposal {
  readonly proposalId: string
  readonly summary: string
  readonly state: string
}

/** Live money, and the windows of two people who decide about it and of one who may only read. */
async function openPairs(t: TestContext) {
  const dashboard = await openDashboard(t, {
    MALIPO_PAWAPAY_URL: 'http://127.0.0.1:9',
    MALIPO_PAWAPAY_TOKEN: 'token-of-a-live-account',
    MALIPO_PAWAPAY_CALLBACKS: 'unsigned',
  })
  const { malipo, as } = dashboard
  const merchant = await malipo.merchant({ env: 'live' })
  const { operator } = malipo
  const start = { env: 'live', reason: 'the start' } as const
  await operator.floats.adjust({ ...float, ...start, amount: '1000', evidence: 'opening' })
  await operator.wallets.fund(merchant.id, { ...start, ...kes, amount: '10000', evidence: 'bank line 90-1' })
  await operator.fees.set({ ...start, ...payoutFee, basisPoints: 0, fixed: '45' })
  await until('the fee', () => operator.fees.show({ ...payoutFee, amount: '100' }).then(Boolean, () => false))
  await payOut(merchant) // A provider is on the board once it has work.
  const faith = await as({ operator: ['admin'], name: 'Faith Njeri' })
  const daniel = await as({ operator: ['admin'], name: 'Daniel Mutiso' })
  const wanjiru = await as({ operator: ['support'], name: 'Wanjiru Kamau' })
  const at = `/operator/merchants/${merchant.id}`
  const proposals = async (state: string) => {
    const { body } = await wanjiru.person.call('GET', '/operator/v1/proposals?isOpenOnly=false&limit=50')
    return (body['data'] as readonly Proposal[]).filter((each) => each.state === state)
  }
  const available = async () => {
    const wallets = await operator.wallets.show(merchant.id, { env: 'live' })
    return Number(wallets[0]?.available)
  }
  return { ...dashboard, merchant, faith, daniel, wanjiru, at, proposals, available, before: await available() }
}

type Stage = Awaited<ReturnType<typeof openPairs>>

test('two members of staff act on live money, keys, limits and people', async (t) => {
  const stage = await openPairs(t)
  await t.test('a proof that is too old is renewed, and the action happens once', () => provesAgain(stage))
  await t.test('one person proposes on the page of a merchant, and nothing changes', () => proposes(stage))
  await t.test('one person proposes a top-up, a pause and an invitation', () => proposesMore(stage))
  await t.test('the proposer withdraws a proposal, and cannot approve any', () => withdraws(stage))
  await t.test('another person rejects one and approves the others, which then happen', () => decides(stage))
  await t.test('the key is for its proposer, and the code of an invitation for its approver', () => collects(stage))
  await t.test('a paused live provider is resumed by two people', () => resumes(stage))
  await t.test('a key pair is revoked by one person, and a role is ended', () => ends(stage))
  await t.test('two clicks on an action of staff are one action', () => clicksTwice(stage))
  await t.test('support sees none of these actions, and its direct calls are refused', () => refuses(stage))
  assert.deepEqual(stage.complaints, [])
})

async function provesAgain({ malipo, faith, at, proposals }: Stage): Promise<void> {
  const { page, go, person, context } = faith
  await addAuthenticator(page)
  await page.goto(`${site}/account`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey, added').waitFor()
  await malipo.ask('update sessions set proved_at = null where id = $1', [person.session_id])
  await go(at)
  const second = await context.newPage()
  await second.goto(page.url())
  await second.getByRole('button', { name: 'Freeze' }).waitFor()
  await page.getByRole('button', { name: 'Fund' }).click()
  const form = page.getByRole('dialog', { name: 'Fund a wallet of Duka' })
  await fill(form, { Currency: 'KES', Country: 'KE', Amount: '5000', Evidence: 'bank line 91-1', ...reason })
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })

  await form.getByRole('button', { name: 'Propose the funding' }).click()
  await proof.getByRole('button', { name: 'Cancel' }).click()
  await form.getByRole('alert').waitFor()
  assert.deepEqual(await proposals('open'), [])

  await form.getByRole('button', { name: 'Propose the funding' }).click()
  await proof.getByRole('button', { name: 'Confirm with passkey' }).waitFor()
  await look(page, 'step-up')
  await proof.getByRole('button', { name: 'Confirm with passkey' }).click()
  await closed(form, 'the funding')
  assert.equal((await proposals('open')).length, 1)

  // The proof gave the session a new secret, which the second window does not know. Its search is a POST.
  await second.keyboard.press('/')
  await second.getByLabel('Phone, reference, receipt or provider key').fill('unknown-reference')
  await second.getByText('Nothing found.').waitFor()
  await second.close()
}

async function proposes({ malipo, merchant, faith: { page }, proposals, available, before }: Stage): Promise<void> {
  const act = async (button: string, verb: string, fields: Readonly<Record<string, string>>) => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await confirm(page, verb, { ...fields, ...reason })
  }
  const money = { Currency: 'KES', Country: 'KE' }
  await act('Fund', 'Propose the funding', { ...money, Amount: '9000', Evidence: 'bank line 91-2' })
  await act('Fund', 'Propose the funding', { ...money, Amount: '7000', Evidence: 'bank line 91-3' })
  await act('Set a fee', 'Propose the fee', { Method: 'momo', Currency: 'KES', Percent: '1.5' })
  await act('Set limits', 'Propose the limits', { Currency: 'KES', 'Each payout': '2000' })
  await act('Create a key pair', 'Propose the key pair', {})
  await act('Freeze', 'Freeze the merchant', {})
  await page.getByText('none of its payments is sent').waitFor()
  assert.equal((await malipo.operator.merchants.show(merchant.id)).state, 'frozen')
  await act('Unfreeze', 'Propose to unfreeze it', {})

  assert.equal((await proposals('open')).length, 7)
  assert.equal((await malipo.operator.merchants.show(merchant.id)).state, 'frozen')
  assert.equal(await available(), before)
  assert.equal((await malipo.operator.keys.list(merchant.id)).length, 1)
}

async function proposesMore({ malipo, faith: { page, go }, proposals }: Stage): Promise<void> {
  await go('/operator')
  await page.getByRole('button', { name: 'Top up at pawaPay KE in KES' }).click()
  await confirm(page, 'Propose the top-up', { Amount: '250', Evidence: 'receipt 7', ...reason })
  await page
    .getByRole('button', { name: /^Pause pawapay/i })
    .first()
    .click()
  const words = page.getByRole('dialog', { name: 'Pause pawaPay' })
  await words.getByText('Mobile money prompts, payouts and refunds are accepted and wait').waitFor()
  await words.getByText(/^Cards, bank transfers .* are refused/).waitFor()
  await look(page, 'operations-pause')
  await confirm(page, 'Propose to pause it', reason)

  await go('/operator/people')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByRole('dialog').getByLabel('Role').selectOption('operations')
  await look(page, 'people-invite')
  const invited = { Name: 'Achieng Odhiambo', 'E-mail': 'achieng@malipo.example', ...reason }
  await confirm(page, 'Propose the invitation', invited)

  assert.equal((await proposals('open')).length, 10)
  const [{ amount = '' } = {}] = (await malipo.operator.floats.list()).filter(({ env }) => env === 'live')
  assert.equal(Number(amount), 1000)
}

/** Opens a proposal of the list by its summary. */
async function choose({ page }: Stage['faith'], summary: RegExp): Promise<void> {
  const button = page.getByRole('listitem').getByRole('button', { name: summary })
  await button.click()
  await page.locator('[aria-current=true]').filter({ hasText: summary }).waitFor()
}

async function withdraws({ faith, proposals }: Stage): Promise<void> {
  await faith.go('/operator/proposals')
  await choose(faith, /with KES 7,000/)
  await faith.page.getByText('You proposed this, so you cannot approve it').waitFor()
  assert.equal(await faith.page.getByRole('button', { name: /^(Approve|Reject)$/ }).count(), 0)
  await faith.page.getByRole('button', { name: 'Withdraw' }).click()
  await confirm(faith.page, 'Withdraw the proposal', reason)
  await faith.page.getByRole('button', { name: /with KES 7,000/ }).waitFor({ state: 'detached' })

  const [withdrawn] = await proposals('withdrawn')
  assert.match(withdrawn?.summary ?? '', /with 7000 KES/)
}

async function decides({ malipo, merchant, daniel, proposals, available, before }: Stage): Promise<void> {
  const { page, go } = daniel
  const decide = async (summary: RegExp, word: string, verb: string) => {
    await choose(daniel, summary)
    await page.getByRole('button', { name: word, exact: true }).click()
    await confirm(page, verb, reason)
    await page.getByRole('listitem').getByRole('button', { name: summary }).waitFor({ state: 'detached' })
  }
  const approve = (summary: RegExp) => decide(summary, 'Approve', 'Approve and execute')
  await go('/operator/proposals')
  await decide(/with KES 9,000/, 'Reject', 'Reject the proposal')
  await approve(/with KES 5,000/)
  await approve(/^Set the fee/)
  await approve(/payout limits/)
  await approve(/^Create a live key pair/)
  await approve(/^Unfreeze/)
  await approve(/^Adjust the float/)
  await approve(/^Pause pawapay/i)
  await approve(/^Invite achieng/)
  await page.getByText('Nothing waits for a decision').waitFor()

  const { operator } = malipo
  const fee = { env: 'live', operation: 'charge', method: 'momo', currency: 'KES', amount: '100' } as const
  const [controls] = await operator.payoutControls.show(merchant.id)
  const [levels] = (await operator.floats.list()).filter(({ env }) => env === 'live')
  assert.equal((await available()) - before, 5000, 'the rejected and the withdrawn funding posted nothing')
  assert.equal(Number(levels?.amount), 1250)
  assert.equal(Number(controls?.currencies[0]?.perPayout), 2000)
  assert.equal((await operator.fees.show({ ...fee, merchant: merchant.id })).basisPoints, 150)
  assert.equal((await operator.merchants.show(merchant.id)).state, 'active')
  assert.equal((await operator.keys.list(merchant.id)).length, 2)
  assert.equal(await stateOfProvider(malipo), 'paused')
  assert.equal((await proposals('rejected')).length, 1)
  await operator.ledger.check({ isFull: true })
}

const stateOfProvider = async ({ operator }: Stage['malipo']) =>
  (await operator.providers.status()).providers.find(({ env, provider }) => env === 'live' && provider === 'pawapay')
    ?.state

async function collects({ malipo, faith, daniel, proposals }: Stage): Promise<void> {
  const collect = (page: Stage['faith']['page']) => page.getByRole('button', { name: 'Collect and show it' })
  await daniel.go('/operator/proposals?show=all')
  await choose(daniel, /^Create a live key pair/)
  await daniel.page.getByText('Daniel Mutiso: Approved and done').waitFor()
  assert.equal(await collect(daniel.page).count(), 0)
  const key = (await proposals('executed')).find(({ summary }) => summary.startsWith('Create a live key pair'))
  const direct = await daniel.person.call('POST', `/operator/v1/proposals/${key?.proposalId}/collect`, {})
  assert.equal(direct.status, 422)
  await choose(daniel, /^Invite achieng/)
  await collect(daniel.page).click()
  await daniel.page.getByRole('dialog', { name: 'Shown once' }).getByText('Code for the invited person').waitFor()

  await faith.go('/operator/proposals?show=all')
  await choose(faith, /^Create a live key pair/)
  await collect(faith.page).click()
  const shown = faith.page.getByRole('dialog', { name: 'Shown once' })
  await shown.getByText('API key').waitFor()
  await look(faith.page, 'proposal-key')
  const [publicKey = '', apiKey = ''] = await shown.getByRole('code').allInnerTexts()
  assert.equal((await exchange(malipo.url, { publicKey, apiKey })).status, 200)
  await shown.getByRole('button', { name: 'I have stored it' }).click()
  await collect(faith.page).waitFor({ state: 'detached' })
}

async function resumes({ malipo, faith, daniel }: Stage): Promise<void> {
  await faith.go('/operator')
  await faith.page
    .getByRole('button', { name: /^Resume pawapay/i })
    .first()
    .click()
  await confirm(faith.page, 'Propose to resume it', reason)
  assert.equal(await stateOfProvider(malipo), 'paused')
  await daniel.go('/operator/proposals')
  await choose(daniel, /^Resume pawapay/i)
  await daniel.page.getByRole('button', { name: 'Approve', exact: true }).click()
  await confirm(daniel.page, 'Approve and execute', reason)
  assert.equal(await stateOfProvider(malipo), 'running')
}

async function ends({ malipo, merchant, faith: { page, go }, at, as }: Stage): Promise<void> {
  await go(at)
  await page.getByRole('button', { name: `Revoke ${merchant.publicKey}` }).click()
  await confirm(page, 'Revoke the key pair', reason)
  await page.getByRole('button', { name: `Revoke ${merchant.publicKey}` }).waitFor({ state: 'detached' })
  assert.equal((await exchange(malipo.url, merchant)).status, 401)

  const leaving = await as({ operator: ['finance'], name: 'Otieno Achieng' })
  assert.equal((await leaving.person.call('GET', '/operator/v1/merchants?limit=1')).status, 200)
  await go('/operator/people')
  await page.getByRole('button', { name: 'End finance of Otieno Achieng' }).click()
  await confirm(page, 'End the role', reason)
  await page.getByRole('button', { name: 'End finance of Otieno Achieng' }).waitFor({ state: 'detached' })
  assert.equal((await leaving.person.call('GET', '/operator/v1/merchants?limit=1')).status, 401)
  await leaving.go('/operator')
  await leaving.page.waitForURL(/\/sign-in/)
}

async function clicksTwice({ malipo, merchant, faith: { page, go }, at }: Stage): Promise<void> {
  await go(`${at}?env=sandbox`)
  const requests = countRequests(page, 'POST', /\/keys$/)
  await page.getByRole('button', { name: 'Create a key pair' }).click()
  const dialog = page.getByRole('dialog')
  await fill(dialog, reason)
  await clickTwice(dialog.getByRole('button', { name: 'Create the key pair' }))
  await page.getByRole('dialog', { name: 'Shown once' }).getByText('API key').waitFor()
  await page.getByRole('button', { name: /^Revoke / }).waitFor()

  assert.equal(requests(), 1)
  const keys = (await malipo.operator.keys.list(merchant.id)).filter(({ env }) => env === 'sandbox')
  assert.equal(keys.length, 1)
}

async function refuses({ malipo, merchant, wanjiru: { page, go, person }, at, proposals }: Stage): Promise<void> {
  await go(at)
  await page.getByRole('heading', { name: 'Payout limits and approval' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /freeze|Fund|Set |Revoke|Create|Change/i }).count(), 0)
  await go('/operator/proposals?show=all')
  await choose({ page } as Stage['faith'], /^Create a live key pair/)
  assert.equal(await page.getByRole('button', { name: /^(Approve|Reject|Withdraw|Collect and show it)$/ }).count(), 0)
  await go('/operator')
  await page.getByRole('heading', { name: 'pawaPay Kenya' }).waitFor()
  await page.getByRole('heading', { name: 'Providers' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /Pause|Resume|Top up|Threshold/ }).count(), 0)

  const why = { env: 'live', reason: 'no' }
  const money = { ...why, currency: 'KES', country: 'KE', amount: '1', evidence: 'none' }
  const [executed] = await proposals('executed')
  const refused = [
    ['POST', `/merchants/${merchant.id}/wallets/fund`, money],
    ['POST', '/floats/adjust', { ...money, provider: 'pawapay' }],
    ['POST', '/fees', { ...why, merchant: merchant.id, basisPoints: 1 }],
    ['PUT', `/merchants/${merchant.id}/payout-limits`, { ...why, currency: 'KES', perPayout: '1' }],
    ['POST', `/merchants/${merchant.id}/unfreeze`, { reason: 'no' }],
    ['POST', `/merchants/${merchant.id}/keys`, why],
    ['POST', `/keys/${merchant.publicKey}/revoke`, { reason: 'no' }],
    ['POST', '/providers/pawapay/resume', why],
    ['POST', '/people/invite', { email: 'x@malipo.example', name: 'X', role: 'admin', reason: 'no' }],
    ['POST', `/people/${person.id}/roles`, { role: 'admin', reason: 'no' }],
  ] as const
  for (const [method, path, body] of refused)
    assert.equal((await person.call(method, `/operator/v1${path}`, body)).status, 403, path)
  const collected = await person.call('POST', `/operator/v1/proposals/${executed?.proposalId}/collect`, {})
  assert.notEqual(collected.status, 200)
  assert.equal((await malipo.operator.keys.list(merchant.id)).length, 3)
}
