import { type ApiDocument, readDocument } from './document.ts'
import { cardCharge } from './recipes.ts'
import type { Client, Received } from './send.ts'

interface Caller {
  readonly publicKey: string
  readonly apiKey: string
  token: string
}

/** The source of requests: the document, callers, and names of existing objects. */
export interface World {
  readonly seed: number
  readonly document: ApiDocument
  readonly callers: readonly Caller[]
  readonly transactions: readonly string[]
  /** Card charges that ask for a PIN. */
  readonly cards: readonly string[]
  readonly references: readonly string[]
  readonly accounts: readonly string[]
  readonly webhooks: readonly string[]
}

type Variables = Readonly<Record<string, string>>

/** Opens a world on a running stack: payments, beneficiaries and webhooks of a first merchant, tokens of three callers. */
export async function openWorld(client: Client, variables: Variables, seed: number): Promise<World> {
  const ask = askBy(client)
  const document = readDocument((await ask('GET', '/openapi.json', {})).text)
  const callerOf = async (suffix: string): Promise<Caller> => {
    const publicKey = variables[`MALIPO_PUBLIC_KEY${suffix}`] ?? ''
    const apiKey = variables[`MALIPO_API_KEY${suffix}`] ?? ''
    return { publicKey, apiKey, token: fieldOf(await exchange(client, { publicKey, apiKey }), 'token') }
  }
  const [first, second, live] = [await callerOf(''), await callerOf('_2'), await callerOf('_LIVE')]
  const headers = { authorization: `Bearer ${first.token}` }
  const post = (path: string, body: object) => ask('POST', `/api/b2b${path}`, headers, body)

  await ask('PUT', '/api/b2b/users', headers, { sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const names = Array.from({ length: 4 }, (_, index) => `known-${seed}-${index}`)
  const transactions: string[] = []
  const accounts: string[] = []
  const cards: string[] = []
  for (const [index, name] of names.entries()) {
    const charge = { amount: 500, currency: 'KES', phoneNumber: '+254703456789', externalReference: name }
    transactions.push(fieldOf(await post('/fiat/deposit/momo', charge), 'transactionId'))
    cards.push(fieldOf(await post('/fiat/deposit/card', cardCharge(`${name}-card`)), 'data', 'transactionId'))
    const method = { accountName: 'Amina', accountNumber: `+25470345678${index}` }
    const account = { country: 'KE', currency: 'KES', destination: 'MoMo', payoutMethod: method }
    accounts.push(fieldOf(await post('/external-accounts', account), 'data', 'id'))
  }
  const listed = JSON.parse((await ask('GET', '/api/b2b/webhooks?limit=20', headers)).text) as {
    data: { id: string }[]
  }
  const webhooks = listed.data.map(({ id }) => id)
  return {
    seed,
    document,
    callers: [first, first, second, live],
    transactions,
    cards,
    references: names,
    accounts,
    webhooks,
  }
}

/** Tokens are valid for an hour. While wrong pairs are refused from this address, callers keep theirs. */
export async function renewTokens(client: Client, { callers }: World): Promise<void> {
  for (const caller of callers) {
    const received = await exchange(client, caller)
    if (received.status === 200) caller.token = fieldOf(received, 'token')
  }
}

function exchange(client: Client, { publicKey, apiKey }: Omit<Caller, 'token'>): Promise<Received> {
  return askBy(client)('POST', '/api/b2b/auth/generate-bearer-token', { 'api-key': apiKey }, { publicKey })
}

function askBy(client: Client) {
  return (method: string, target: string, headers: Record<string, string>, body?: object) => {
    const sent = body && Buffer.from(JSON.stringify(body))
    const framing = sent ? { 'content-type': 'application/json', 'content-length': String(sent.length) } : {}
    return client.send({ method, target, headers: { ...framing, ...headers }, body: sent })
  }
}

function fieldOf({ status, text }: Received, ...path: string[]): string {
  const found = path.reduce<unknown>(
    (at, name) => (at as Record<string, unknown> | undefined)?.[name],
    JSON.parse(text),
  )
  if (typeof found !== 'string') throw new Error(`the world could not be opened: ${status} ${text}`)
  return found
}
