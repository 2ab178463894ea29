import type { ProposalView } from '@malipo/server/operate'
import { CliError, codeOf } from './cli-error.ts'
import type { Exit } from './exit-codes.ts'

/** A request to the Malipo at a URL. */
export interface StaffRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** Whether a lost response leaves in doubt that something was changed. */
  readonly isChange?: boolean
  /** Interrupts it. */
  readonly signal?: AbortSignal | undefined
}

/** What every response may have. A server that is not Malipo has none of it. */
interface Content {
  readonly success?: unknown
  readonly data?: unknown
  readonly message?: unknown
  readonly errorCode?: unknown
  readonly requestId?: unknown
  readonly retryable?: unknown
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

export interface StaffResponse {
  readonly status: number
  readonly content: Content
  /** Seconds to wait, if the server names them. */
  readonly retryAfter: string | null
}

const timeoutMs = 60_000

/** Sends a request. Follows no redirect, so that keys and sessions reach only the URL that they are for. */
export async function sendStaffRequest(url: string, request: StaffRequest): Promise<StaffResponse> {
  const { method, path, headers, body, signal } = request
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'user-agent': 'malipo command line', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const content = contentOf(await response.text())
    return { status: response.status, content, retryAfter: response.headers.get('retry-after') }
  } catch (error) {
    throw lostError(url, request, error as Error)
  }
}

function contentOf(text: string): Content {
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? content : {}
  } catch {
    return {}
  }
}

/** No connection was made, so the request was not sent. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

const doubt =
  'The change may have been made. Check whether it was done before you repeat it: malipo audit list, malipo proposals.'

function lostError(url: string, { isChange, signal }: StaffRequest, error: Error): CliError {
  if (signal?.aborted) return new CliError('interrupted', isChange ? `Interrupted.\n${doubt}` : 'Interrupted.')
  const isLate = error.name === 'TimeoutError'
  const cause = isLate ? `no response within ${timeoutMs / 1000} s` : codeOf(error)
  const message = `Cannot reach Malipo at ${url}: ${cause}.`
  return isChange && !unsent.test(cause)
    ? new CliError('unreachable', `${message}\n${doubt}`)
    : new CliError('unreachable', `${message} Check that it is running and that the URL is right.`)
}

/** Another person must approve what the command asked for. Nothing is changed yet. */
export class Proposed extends Error {
  override readonly name = 'Proposed'
  readonly proposal: ProposalView

  constructor(proposal: ProposalView) {
    super(`${proposal.proposalId} waits for approval`)
    this.proposal = proposal
  }
}

/** The result of an operation of the operator API. Throws the proposal if it became one, and an error if it was refused. */
export function resultOf<Result>(url: string, request: StaffRequest, response: StaffResponse): Result {
  const { status, content } = response
  const isDone = content.success === true && (status === 200 || status === 202)
  if (!isDone) throw refusalError(url, request, response)
  if (status === 202) throw new Proposed(content.data as ProposalView)
  return content.data as Result
}

/** What to do about an error; the server's own message says what happened. */
const advice: Readonly<Record<string, string>> = {
  SIGN_IN_REQUIRED: 'The session or token is not valid any more. Run malipo login --operator.',
  STEP_UP_REQUIRED:
    'This needs a proof of presence from the last 5 minutes. Run malipo login --operator again, with the same --profile if you use one, confirm in the browser, and repeat the command.',
}

/** The error for a response that is a refusal, or no response of Malipo at all. */
export function refusalError(url: string, { isChange }: StaffRequest, response: StaffResponse): CliError {
  const { status, content, retryAfter } = response
  const { errorCode, message, requestId, retryable, details = [] } = content
  const isDoubtful = isChange === true && (status >= 500 || status < 300)
  const end = isDoubtful ? `\n${doubt}` : ''
  if (typeof errorCode !== 'string' || typeof message !== 'string')
    return new CliError('unreachable', `The server at ${url} is not Malipo (HTTP ${status}). Check the URL.${end}`)
  const unsaid = details.filter((detail) => !message.includes(detail.message))
  const fields = unsaid.map((detail) => `\n  ${detail.field}: ${detail.message}`).join('')
  const wait = retryAfter === null ? 'later' : `in ${retryAfter} s`
  const again = retryable === true && !isDoubtful ? `\nThis is temporary: try again ${wait}.` : ''
  const next = advice[errorCode] === undefined ? '' : `\n${advice[errorCode]}`
  const facts = { status, errorCode, requestId, retryable, details }
  return new CliError(exitOf(status), `${message}${fields}${next}${again}${end}`, facts)
}

function exitOf(status: number): Exit {
  if (status === 401 || status === 403) return 'unauthorised'
  return status >= 500 ? 'unreachable' : 'refused'
}
