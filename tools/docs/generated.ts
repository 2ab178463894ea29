/**
 * Files generated from the tables in the code, by path. `npm run generate` writes them; tidy.test.ts fails when they are stale.
 */

import { buildProgram } from '../../packages/cli/src/program.ts'
import { referencePage } from '../../packages/cli/src/reference.ts'
import sdk from '../../packages/sdk/package.json' with { type: 'json' }
import { loadConfig } from '../../packages/server/src/config.ts'
import { openContext } from '../../packages/server/src/context.ts'
import { catalogue, merchantErrors } from '../../packages/server/src/errors.ts'
import type { ApiDocument } from '../../packages/server/src/http/reference/document.ts'
import { createApiServer } from '../../packages/server/src/http/server.ts'
import { makeSecrets } from '../../packages/server/src/operate/operator.ts'
import { loadReferenceData } from '../../packages/server/src/reference/data.ts'
import { knownValues } from '../cli/known-values.ts'
import { operatorRoutes } from '../cli/operator-routes.ts'
import { dashboardTables } from '../dashboard/dashboard-tables.ts'
import { dashboardTypes } from '../dashboard/dashboard-types.ts'
import { dashboardValues } from '../dashboard/dashboard-values.ts'
import { operatorValues } from '../dashboard/operator-values.ts'
import { sdkTypes } from '../sdk/sdk-types.ts'
import { apiPages } from './api-pages.ts'
import { httpFile, postmanCollection } from './api-requests.ts'
import { configPage, doctorPage } from './config-pages.ts'
import { coveragePage } from './coverage.ts'
import { inRepository, llmsIndex } from './llms.ts'
import { alertsPage, metricsPage } from './operating-pages.ts'
import { currenciesPage, eventsPage, note, sandboxPage, statesPage } from './reference-pages.ts'
import { retentionPage } from './retention-page.ts'
import { rolesPage } from './roles-page.ts'
import { diagrams } from './site-diagram.ts'

export async function generated(): Promise<Map<string, string>> {
  const { document, operators, people } = await openApi()
  const data = loadReferenceData()
  const errorCodes = Object.values(merchantErrors).map(({ errorCode }) => errorCode)
  const files = new Map([
    ['docs/reference/config.md', configPage()],
    ['docs/operating/doctor.md', doctorPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/operating/alerts.md', alertsPage()],
    ['docs/operating/retention.md', retentionPage()],
    ['docs/reference/states.md', statesPage()],
    ['docs/reference/roles.md', rolesPage()],
    ['docs/reference/events.md', eventsPage(document)],
    ['docs/reference/currencies.md', currenciesPage(data)],
    ['docs/reference/sandbox.md', sandboxPage()],
    ['docs/reference/coverage.md', coveragePage(data)],
    ['docs/reference/cli.md', `${note}\n\n${cliPage()}`],
    ['docs/reference/operator-openapi.json', `${JSON.stringify(operators, null, 2)}\n`],
    ['docs/reference/dashboard-openapi.json', `${JSON.stringify(people, null, 2)}\n`],
    ['docs/reference/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['docs/reference/malipo.postman_collection.json', postmanCollection(document)],
    ['docs/reference/malipo.http', httpFile(document)],
    ...apiPages(document),
    ...diagrams(),
    ['packages/cli/src/generated/known-values.ts', knownValues(data)],
    ['packages/cli/src/generated/operator-routes.ts', operatorRoutes()],
    ['packages/sdk/src/generated/api.ts', sdkTypes(document, { version: sdk.version, errorCodes })],
    ...dashboardTypes(operators, people),
    ['packages/dashboard/src/generated/values.ts', dashboardValues()],
    ...dashboardTables(data),
    ['packages/dashboard/src/generated/operator-values.ts', operatorValues()],
  ])
  return new Map([...files, ['docs/llms.txt', llmsIndex(inRepository, files)]])
}

function errorsPage(): string {
  const byStatus = Object.entries(Object.groupBy(Object.values(catalogue), ({ status }) => status))
  const sections = byStatus.map(([status, same = []]) => `## ${status}\n\n${same.map(errorSection).join('\n')}`)
  return `${note}

# Errors

A refusal is \`{ success: false, message, errorCode, requestId, fix, docs }\`. \`details: [{ field, message }]\` names the
wrong fields or the facts, and \`retryable: true\` says that the same request may succeed later. One code has one status.
The message, in bold below, may say more; decide by the code. \`docs\`, and the header \`Link\`, lead to the error on the
server's own page, \`/docs/errors\`. Give \`requestId\`, also in the header \`X-Request-Id\`, to the operator when you report
a problem.

${sections.join('\n')}`
}

function errorSection(entry: (typeof catalogue)[keyof typeof catalogue]): string {
  const { errorCode, status, message, cause, fix } = entry
  const again = 'retryable' in entry ? ' *Retryable.*' : ''
  return `<a id="${errorCode}"></a>\n\n### ${errorCode}\n\n${status}: **${message}** ${cause}\n\n${fix}${again}\n`
}

function cliPage(): string {
  const environment = { variables: {}, actor: 'your user name', write: () => undefined, writeError: () => undefined }
  return referencePage(buildProgram(environment))
}

/** As the server itself serves it. Opens no connection: the document comes from the routes alone. */
async function openApi(): Promise<Record<'document' | 'operators' | 'people', ApiDocument>> {
  const variables = { DATABASE_URL: 'postgres://nowhere/none', MALIPO_LOG_LEVEL: 'fatal', ...makeSecrets(new Date()) }
  const ctx = openContext(loadConfig(variables))
  const { app } = createApiServer(ctx)
  const read = async (path: string) => (await app.inject(path)).json<ApiDocument>()
  const document = await read('/openapi.json')
  const operators = await read('/operator/v1/openapi.json')
  const people = await read('/dashboard/v1/openapi.json')
  await app.close()
  await ctx.close()
  return { document, operators, people }
}
