import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, catalogue, docsOf, type ErrorKey, invalidBody } from '../errors.ts'
import { isPassing } from '../platform/batch.ts'
import type { Log } from '../platform/log.ts'
import type { Access } from './app.ts'

const errorCodes = new WeakMap<FastifyRequest, string>()

/** The error code of a refused request, whatever the format of its response; empty when it was not refused. */
export const errorCodeOf = (request: FastifyRequest): string => errorCodes.get(request) ?? ''

/** The only place that turns a thrown error into a response. */
export function refuseWith(log: Log) {
  return (thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = thrown instanceof AppError ? thrown : understood(thrown)
    if (error.key === 'INTERNAL') log.error({ err: thrown, requestId: request.id }, 'request failed: internal error')
    const { status, errorCode } = catalogue[error.key]
    errorCodes.set(request, errorCode)
    return reply
      .code(status)
      .headers({ ...helpLink(error), ...headersOf(status), ...error.headers })
      .send(bodyOf(error, request, reply, status))
  }
}

/** The page of the error, for every response with an error. */
export const helpLink = ({ key }: AppError) => ({ link: `<${docsOf(key)}>; rel="help"` })

/** Headers that every response with this status carries. */
function headersOf(status: number): Record<string, string> {
  if (status === 401) return { 'www-authenticate': 'Bearer error="invalid_token"' }
  return status === 503 ? { 'retry-after': '1' } : {}
}

const headerMax = 200

/** Access errors always have the usual format; a route's own errors may have another one. */
function bodyOf(error: AppError, request: FastifyRequest, reply: FastifyReply, status: number): object {
  const { refusal } = request.routeOptions.config as Access
  if (refusal === 'empty' && status === 400) {
    const message = error.message.slice(0, headerMax).replaceAll(/[^\x20-\x7e]/g, '?')
    reply.headers({ 'x-error-code': catalogue[error.key].errorCode, 'x-error-message': message })
    return {}
  }
  const isOwn = ![401, 403, 429].includes(status)
  return refusal === 'error' && isOwn ? { success: false, error: error.message } : envelope(error, request.id)
}

export function envelope(error: AppError, requestId: string): object {
  const entry: { errorCode: string; retryable?: true } = catalogue[error.key]
  return {
    success: false,
    message: error.message,
    errorCode: entry.errorCode,
    requestId,
    ...(error.details && { details: error.details }),
    ...(error.attemptsLeft !== undefined && { attemptsLeft: error.attemptsLeft }),
    ...(entry.retryable && { retryable: true }),
    fix: error.fix,
    docs: docsOf(error.key),
  }
}

/** Maps an error of the framework or the driver to a Malipo error. */
function understood(thrown: Error & { statusCode?: number; code?: string }): AppError {
  const key = keyOf(thrown.statusCode ?? 500)
  if (key === 'VALIDATION')
    return isOfBody(thrown)
      ? invalidBody(inWords(thrown))
      : new AppError(key, { message: `Validation error: ${inWords(thrown)}` })
  if (key) return new AppError(key)
  return new AppError(isPassing(thrown) || thrown.code === '55P03' ? 'OVERLOADED' : 'INTERNAL')
}

/** An error that the framework blames on the request is never an internal error, whether its status is known or not. */
function keyOf(status: number): ErrorKey | undefined {
  const key = keysByStatus[status]
  return key ?? (status >= 400 && status < 500 ? 'VALIDATION' : undefined)
}

const keysByStatus: Record<number, ErrorKey | undefined> = {
  404: 'ROUTE_NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'ROUTE_NOT_FOUND', // A path parameter longer than any Malipo id.
  415: 'UNSUPPORTED_MEDIA_TYPE',
  503: 'OVERLOADED',
}

const isOfBody = ({ code }: { code?: string }) => code?.startsWith('FST_ERR_CTP_') === true

function inWords({ code }: { code?: string }): string {
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return 'the body is empty; JSON was expected'
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return 'the body length differs from Content-Length'
  if (code?.startsWith('FST_ERR_CTP_')) return 'the body is not valid JSON'
  return 'the request cannot be read'
}
