/** The examples of the API as requests: for curl, for editors (.http), and for Postman. */
import { type ApiDocument, type Operation, operationsOf } from './api-document.ts'

/** As in the documents: `$NAMES` are variables of the reader's shell. */
export function curlOf(operation: Operation): string {
  const { method, isOpen, example } = operation
  const json = example.body === undefined ? undefined : JSON.stringify(example.body)
  const isPlain = method === 'GET' || (method === 'POST' && json !== undefined)
  const parts = [
    `curl -s ${isPlain ? '' : `-X ${method} `}"$MALIPO_URL${pathOf(operation)}"`,
    ...(isOpen ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...Object.entries(example.headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(json === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(json)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** In single quotes, unless the shell must expand a variable. */
const quoted = (json: string) => (json.includes('$') ? `"${json.replaceAll('"', '\\"')}"` : `'${json}'`)

function pathOf({ url, example }: Operation): string {
  const filled = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => example.path?.[name] ?? `{${name}}`)
  const query = Object.entries(example.query ?? {}).map(([name, value]) => `${name}=${value}`)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

/** `$TRANSACTION_ID` is `{{transactionId}}` to Postman and to editors. */
const braced = (text: string) => text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => `{{${camel(name)}}}`)

const camel = (name: string) =>
  name
    .replace(/^MALIPO_/, '')
    .toLowerCase()
    .replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** What the sender fills in. */
const variables = {
  url: 'http://127.0.0.1:8080',
  publicKey: 'pk_test_',
  apiKey: 'sk_test_',
  token: '',
  transactionId: 'txn_',
  externalAccountId: 'ea_',
  webhookId: 'wh_',
  webhookUrl: 'http://localhost:3000/webhooks',
}

export function httpFile(document: ApiDocument): string {
  const requests = operationsOf(document).map((operation) => {
    const { method, summary, operationId, isOpen, example } = operation
    const headers = [
      ...(isOpen ? [] : ['Authorization: Bearer {{token}}']),
      ...Object.entries(example.headers ?? {}).map(([name, value]) => `${name}: ${braced(value)}`),
      ...(example.body === undefined ? [] : ['Content-Type: application/json']),
    ]
    const body = example.body === undefined ? '' : `\n${braced(JSON.stringify(example.body, null, 2))}\n`
    return `### ${summary}\n# @name ${operationId}\n${method} {{url}}${braced(pathOf(operation))}\n${headers.join('\n')}\n${body}`
  })
  return `# ${document.info.title} ${document.info.version}. Made by npm run generate. For editors that send requests from a file.
# Set what is below; npm run dev prints the key pair, and the first request gives the token.

${Object.entries(variables)
  .map(([name, value]) => `@${name} = ${value}`)
  .join('\n')}

${requests.join('\n')}`
}

/** Keeps the token of the first request for all the others. */
const keepToken = ["pm.collectionVariables.set('token', pm.response.json().token)"]

export function postmanCollection(document: ApiDocument): string {
  const operations = operationsOf(document)
  const { title, description } = document.info
  const collection = {
    info: { name: title, description, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: document.tags.map(({ name, description: about }) => ({
      name,
      description: about,
      item: operations.filter(({ tags }) => tags.includes(name)).map(postmanItem),
    })),
  }
  return `${JSON.stringify(collection, null, 2)}\n`
}

function postmanItem(operation: Operation) {
  const { method, url, summary, description, isOpen, example } = operation
  const path = braced(pathOf(operation))
  const query = Object.entries(example.query ?? {}).map(([key, value]) => ({ key, value }))
  const headers = Object.entries(example.headers ?? {}).map(([key, value]) => ({ key, value: braced(value) }))
  return {
    name: summary,
    ...(isOpen && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: keepToken } }] }),
    request: {
      ...(isOpen && { auth: { type: 'noauth' } }),
      method,
      header: headers,
      url: {
        raw: `{{url}}${path}`,
        host: ['{{url}}'],
        path: path.split('?')[0]?.split('/').slice(1),
        ...(query.length > 0 && { query }),
      },
      description: description ?? `${method} ${url}`,
      ...(example.body !== undefined && {
        body: {
          mode: 'raw',
          raw: braced(JSON.stringify(example.body, null, 2)),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  }
}
