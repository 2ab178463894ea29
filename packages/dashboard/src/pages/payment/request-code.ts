import type { LoggedRequest } from './payment-queries.ts'

/** The path for a server of the merchant, with the payment's id in it. People's requests have a root of their own. */
const pathOf = ({ path }: LoggedRequest, transactionId: string) =>
  path.replace(/^\/dashboard\/v1\/merchants\/[^/]+\/[^/]+/, '/api/b2b').replace('{transactionId}', transactionId)

/** A logged request for a shell. Keys and tokens are variables: the log has none. */
export function curlOf(request: LoggedRequest, transactionId: string): string {
  const { method, body } = request
  const lines = [
    `curl ${method === 'GET' || method === 'POST' ? '' : `-X ${method} `}"$MALIPO_URL${pathOf(request, transactionId)}"`,
  ]
  lines.push('-H "authorization: Bearer $TOKEN"')
  if (body !== undefined)
    lines.push("-H 'content-type: application/json'", `-d '${json(body).replaceAll("'", String.raw`'\''`)}'`)
  else if (method === 'POST') lines.push('-X POST')
  return lines.join(' \\\n  ')
}

export function typeScriptOf(request: LoggedRequest, transactionId: string): string {
  const { method, body } = request
  const headers = [
    "authorization: 'Bearer ' + token",
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ]
  return [
    `const response = await fetch(\`\${process.env.MALIPO_URL}${pathOf(request, transactionId)}\`, {`,
    `  method: '${method}',`,
    `  headers: { ${headers.join(', ')} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${json(body).replaceAll('\n', '\n  ')}),`]),
    '})',
  ].join('\n')
}

const json = (body: unknown) => JSON.stringify(body, null, 2)
