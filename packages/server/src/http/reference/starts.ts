import { invalid } from '../../errors.ts'
import { envelope } from '../refuse.ts'

/** A section that applies to every operation. */
export interface Start {
  readonly id: string
  readonly title: string
  readonly text: string
  /** Captions and code. */
  readonly blocks: readonly (readonly [caption: string, code: string])[]
}

/** The caption of commands to run. */
export const requestCaption = 'Request'

export function startsOf(origin: string, version: string): Start[] {
  return [
    {
      id: 'base-url',
      title: 'Base URL and token',
      text: `Every path starts at \`${origin}\`. Requests and responses are JSON.

Exchange your key pair for a token, and send the token with every other request as \`Authorization: Bearer …\`. It lasts an hour; \`expiresAt\` is the time it expires. Until five minutes before that, the same request returns the same token. A missing, invalid or expired token is refused with \`UNAUTHORIZED\`.

The examples run one after another, in a shell with these variables. \`$TRANSACTION_ID\`, \`$EXTERNAL_ACCOUNT_ID\`, \`$WEBHOOK_ID\` and \`$WEBHOOK_ENDPOINT_ID\` stand for the first id of that kind in the latest response that has one.`,
      blocks: [
        ['Your keys and your webhook receiver', variables],
        [requestCaption, tokenCommand(origin)],
      ],
    },
    {
      id: 'sandbox',
      title: 'Sandbox',
      text: `A key pair belongs to live or to the sandbox. Its token decides which of the two a request uses. They never mix.

Every path below \`/api/b2b\` also exists below \`/api/sandbox/b2b\`, which takes sandbox tokens only: a live token is refused there with \`SANDBOX_ONLY\`, so a test sent there cannot move real money.`,
      blocks: [[requestCaption, `curl -s "${origin}/api/sandbox/b2b/users" \\\n  -H "authorization: Bearer $TOKEN"`]],
    },
    {
      id: 'refusals',
      title: 'Refusals',
      text: `Unless an operation says otherwise, a refusal is this envelope. Decide by \`errorCode\`: it has one meaning and one HTTP status. \`message\` is for people and may change.

\`details\` names the wrong fields. \`retryable\` is present, and true, when the same request may succeed later.`,
      blocks: [['Response 400', JSON.stringify(envelope(sampleRefusal, sampleRequestId), undefined, 2)]],
    },
    {
      id: 'rate-limits',
      title: 'Rate limits',
      text: `Requests are counted for each merchant, separately in live and sandbox. Every response to a request with a valid token shows the count: \`RateLimit-Limit\` is the number of requests allowed per second, \`RateLimit-Remaining\` the number left now, \`RateLimit-Reset\` the seconds until the full number is available again.

A request over the limit is refused with \`RATE_LIMIT_EXCEEDED\`. That and \`OVERLOADED\` carry \`Retry-After\`: wait that many seconds.`,
      blocks: [['Response headers', 'RateLimit-Limit: 25\nRateLimit-Remaining: 24\nRateLimit-Reset: 1']],
    },
    {
      id: 'request-ids',
      title: 'Request ids and version',
      text: `Every response has an \`X-Request-Id\`, and a refusal repeats it as \`requestId\`. Give it to the operator when you report a problem. You may send your own: at most 128 printable ASCII characters without spaces.

\`X-API-Version\` is the version of this API, now \`${version}\`.`,
      blocks: [['Response headers', `X-Request-Id: order-1042-first-try\nX-API-Version: ${version}`]],
    },
  ]
}

const variables = `export MALIPO_PUBLIC_KEY=pk_test_…
export MALIPO_API_KEY=sk_test_…
export WEBHOOK_URL=https://shop.example.com/webhooks`

const tokenCommand = (origin: string) => `curl -s "${origin}/api/b2b/auth/generate-bearer-token" \\
  -H "api-key: $MALIPO_API_KEY" \\
  -H 'content-type: application/json' \\
  -d "{\\"publicKey\\":\\"$MALIPO_PUBLIC_KEY\\"}" > token.json
export TOKEN=$(sed 's/.*"token":"\\([^"]*\\)".*/\\1/' token.json)`

const sampleRefusal = invalid([{ field: 'firstName', message: 'firstName must have at least 1 character' }])
const sampleRequestId = 'req_6f1c2a9e-5d0b-4c7e-9a43-1f0e8d2b7c55'
