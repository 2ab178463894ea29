import { operations } from '../../packages/server/src/operate/api/operations.ts'
import { operatorRoles } from '../../packages/server/src/people/roles.ts'
import { providerNames } from '../../packages/server/src/providers/registry.ts'

/** packages/dashboard/src/generated/operator-values.ts: who may do what among the operator's staff, and the providers' names. */
export function operatorValues(): string {
  const approvals = operations.flatMap(({ name, control }) => (control ? [`  '${name}': '${control.approve}',\n`] : []))
  const roles = Object.entries(operatorRoles).map(
    ([role, { summary, permissions }]) =>
      `  {\n    role: '${role}',\n    summary: ${JSON.stringify(summary).replaceAll('"', "'")},\n    permissions: [${permissions.map((permission) => `'${permission}'`).join(', ')}],\n  },\n`,
  )
  const names = Object.entries(providerNames).map(([provider, name]) => `  ${provider}: '${name}',\n`)
  return `// Made by npm run generate from tables of the server; do not edit.

/** The permission that approves a proposal of each operation. */
export const approvals: Readonly<Record<string, string>> = {
${approvals.join('')}}

interface Role {
  readonly role: string
  readonly summary: string
  readonly permissions: readonly string[]
}

/** Roles of the operator's staff. */
export const operatorRoles: readonly Role[] = [
${roles.join('')}]

/** What people call each provider. */
export const providerNames: Readonly<Record<string, string>> = {
${names.join('')}}
`
}
