import { type WebhookVerificationError, webhooks } from '@malipo/sdk'

/** A webhook as received, and the secrets that may have signed it. */
export interface ReceivedWebhook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes as received. */
  readonly body: Uint8Array
  readonly secrets: readonly string[]
  readonly toleranceSeconds: number
}

export type Diagnosis = { readonly ok: true } | { readonly ok: false; readonly why: string }

/** Verifies with the SDK and, after a failure, tries the usual mistakes to name the one that was made. */
export function diagnose(received: ReceivedWebhook): Diagnosis {
  const error = verificationError(received)
  if (error === undefined || error.reason === 'bad_body') return { ok: true } // Signed, whatever its content.
  return { ok: false, why: explanations[error.reason]?.(received, error) ?? error.message }
}

function verificationError({
  headers,
  body,
  secrets,
  toleranceSeconds,
}: ReceivedWebhook): WebhookVerificationError | undefined {
  try {
    webhooks.verify(body, headers, secrets, { toleranceSeconds })
    return undefined
  } catch (error) {
    return error as WebhookVerificationError
  }
}

type Explain = (received: ReceivedWebhook, error: WebhookVerificationError) => string | undefined

const signedButLate: Explain = (_, { message }) => `The signature matches, but the time does not. ${message}`

const explanations: Readonly<Record<string, Explain>> = {
  missing_header: ({ headers }) => otherHeader(headers),
  bad_signature: (received) => otherScheme(received.headers['webhook-signature'] ?? '') ?? usualMistake(received),
  too_old: signedButLate,
  from_the_future: signedButLate,
}

const otherSchemes: Readonly<Record<string, string>> = {
  'stripe-signature': 'Stripe',
  'x-hub-signature-256': 'GitHub and Meta',
  'verif-hash': 'Flutterwave',
  'x-paystack-signature': 'Paystack',
}

function otherHeader(headers: ReceivedWebhook['headers']): string | undefined {
  const name = Object.keys(otherSchemes).find((each) => headers[each] !== undefined)
  return name && `The header webhook-signature is missing. ${name} is the signature of ${otherSchemes[name]}.`
}

function otherScheme(header: string): string | undefined {
  const signatures = header.split(/\s+/)
  if (signatures.some((each) => each.startsWith('v1,'))) return undefined
  const scheme = /^(\w+)[,=]/.exec(signatures[0] ?? '')?.[1]
  if (scheme === 'v1a') return 'The signature v1a is made with a key pair. Malipo signs with a secret, as v1.'
  if (scheme === 't') return 'The signature t=…,v1=… is that of Stripe.'
  return `The signature ${scheme ? `starts with ${scheme}` : 'has no version'}. It must look like v1,K5oZ…`
}

/** Each repair of a received webhook that makes its signature match names the mistake. */
function usualMistake(received: ReceivedWebhook): string | undefined {
  const text = Buffer.from(received.body).toString()
  const bytes = 'Verify the bytes as received.'
  const repairs: readonly [ReceivedWebhook, string][] = [
    [{ ...received, body: Buffer.from(text.trim()) }, `Blanks or a line break were added around the body. ${bytes}`],
    [{ ...received, body: serialisedAgain(text) }, `The body was parsed and serialised again as JSON. ${bytes}`],
    [
      { ...received, secrets: received.secrets.flatMap(undecoded) },
      'It was made with the text of the secret. Decode what follows whsec_ from base 64 first.',
    ],
  ]
  const [, why] = repairs.find(([repaired]) => isSigned(repaired)) ?? []
  return why && `The signature does not match. ${why}`
}

function isSigned(received: ReceivedWebhook): boolean {
  const reason = verificationError(received)?.reason
  return reason === undefined || ['too_old', 'from_the_future', 'bad_body'].includes(reason)
}

function serialisedAgain(text: string): Buffer {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text)))
  } catch {
    return Buffer.from(text)
  }
}

/** Secrets whose decoded key is the text of the secret itself, with and without its prefix. */
function undecoded(secret: string): string[] {
  const bare = secret.replace(/^whsec_/, '')
  return [bare, `whsec_${bare}`].map((text) => `whsec_${Buffer.from(text).toString('base64')}`)
}
