/** A line of a merchant's feed. */
export interface FeedLine {
  readonly number: number
  readonly id: string
  readonly event: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, string | number>>
}

export interface Feed {
  /** What comes after a number, at most 200 of it. */
  after(number: number): Promise<FeedLine[]>
  /** The number of the newest line; 0 when there is none. */
  newest(): Promise<number>
}

/** A merchant's feed over the API, with a token that is made when it is needed. */
export function openFeed(variables: Readonly<Record<string, string | undefined>>, address?: string): Feed {
  const { MALIPO_URL, MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey } = variables
  const url = address ?? MALIPO_URL
  if (!url || !publicKey || !apiKey)
    throw refusal(
      'Set MALIPO_URL, MALIPO_PUBLIC_KEY and MALIPO_API_KEY: the address and a key pair of a sandbox merchant.',
    )
  let token: Promise<string> | undefined
  const ask = async (path: string, isSecondTry = false): Promise<FeedLine[]> => {
    token ??= exchange(url, publicKey, apiKey)
    const reply = await call(`${url}/api/b2b${path}`, { headers: { authorization: `Bearer ${await token}` } })
    if (reply.status === 401 && !isSecondTry) {
      token = undefined
      return ask(path, true)
    }
    const body = (await reply.json()) as { data?: FeedLine[]; message?: string }
    if (!reply.ok || !body.data) throw refusal(`Malipo refused: ${body.message ?? reply.status}`)
    return body.data
  }
  return {
    after: (number) => ask(`/events?after=${number}&limit=200`),
    newest: () => newestOf(async (number) => (await ask(`/events?after=${number}&limit=1`)).length > 0),
  }
}

/** The last number after which there is nothing, found by halving: numbers have no gap. */
async function newestOf(hasMore: (number: number) => Promise<boolean>): Promise<number> {
  let above = 1
  while (await hasMore(above - 1)) above *= 2
  let below = Math.floor(above / 2)
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2)
    if (await hasMore(middle - 1)) below = middle
    else above = middle
  }
  return below
}

async function exchange(url: string, publicKey: string, apiKey: string): Promise<string> {
  const reply = await call(`${url}/api/b2b/auth/generate-bearer-token`, {
    method: 'POST',
    headers: { 'api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey }),
  })
  const body = (await reply.json()) as { token?: string; message?: string }
  if (body.token === undefined) throw refusal(`Malipo refused the key pair: ${body.message ?? reply.status}`)
  return body.token
}

async function call(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const { cause } = error as Error & { cause?: { code?: string } }
    throw refusal(`Malipo is not reached at ${new URL(url).origin}: ${cause?.code ?? (error as Error).message}`)
  }
}

function refusal(message: string): Error {
  return Object.assign(new Error(message), { name: 'OperatorError' })
}
