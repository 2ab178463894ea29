import type { LoggedRequest } from './developers-query.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The request as a command. The token is a variable of the shell, and what was masked must be filled in. */
export function curlOf(
  { method, path, body }: Pick<LoggedRequest, 'method' | 'path' | 'body'>,
  origin: string,
): string {
  const lines = [`curl -X ${method} ${quoted(origin + path)}`, `-H "Authorization: Bearer $MALIPO_TOKEN"`]
  if (body !== undefined) lines.push(`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`)
  return lines.join(' \\\n  ')
}
