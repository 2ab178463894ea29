/** The examples of the API as requests: for editors (.http), and for Postman. */
import {
  type ApiDocument,
  groupsOf,
  type Operation,
  operationsOf,
} from '../../packages/server/src/http/reference/document.ts'
import { examples, exampleTarget, inExampleOrder } from '../../packages/server/src/http/reference/examples.ts'

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
  const { title = '', version = '' } = document.info ?? {}
  const requests = inExampleOrder(operationsOf(document)).map((operation) => {
    const { method, summary, id, isPublic } = operation
    const example = examples[id]
    const headers = [
      ...(isPublic ? [] : ['Authorization: Bearer {{token}}']),
      ...Object.entries(example?.headers ?? {}).map(([name, value]) => `${name}: ${braced(value)}`),
      ...(example?.body === undefined ? [] : ['Content-Type: application/json']),
    ]
    const body = example?.body === undefined ? '' : `\n${braced(JSON.stringify(example.body, null, 2))}\n`
    return `### ${summary}\n# @name ${id}\n${method} {{url}}${braced(exampleTarget(operation))}\n${headers.join('\n')}\n${body}`
  })
  return `# ${title} ${version}. Made by npm run generate. For editors that send requests from a file.
# Set what is below; npm run dev prints the key pair, and the first request gives the token.

${Object.entries(variables)
  .map(([name, value]) => `@${name} = ${value}`)
  .join('\n')}

${requests.join('\n')}`
}

/** Keeps the token of the first request for all the others. */
const keepToken = ["pm.collectionVariables.set('token', pm.response.json().token)"]

export function postmanCollection(document: ApiDocument): string {
  const { title, description } = document.info ?? {}
  const collection = {
    info: { name: title, description, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: groupsOf(document, inExampleOrder(operationsOf(document))).map(
      ({ name, description: about, operations }) => ({
        name,
        description: about,
        item: operations.map(postmanItem),
      }),
    ),
  }
  return `${JSON.stringify(collection, null, 2)}\n`
}

function postmanItem(operation: Operation) {
  const { method, summary, description, isPublic } = operation
  const example = examples[operation.id]
  const path = braced(exampleTarget(operation))
  const query = Object.entries(example?.query ?? {}).map(([key, value]) => ({ key, value }))
  const headers = Object.entries(example?.headers ?? {}).map(([key, value]) => ({ key, value: braced(value) }))
  return {
    name: summary,
    ...(isPublic && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: keepToken } }] }),
    request: {
      ...(isPublic && { auth: { type: 'noauth' } }),
      method,
      header: headers,
      url: {
        raw: `{{url}}${path}`,
        host: ['{{url}}'],
        path: path.split('?')[0]?.split('/').slice(1),
        ...(query.length > 0 && { query }),
      },
      description: description ?? `${method} ${operation.path}`,
      ...(example?.body !== undefined && {
        body: {
          mode: 'raw',
          raw: braced(JSON.stringify(example.body, null, 2)),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  }
}
