/** docs/reference/roles.md: who may do what, from the tables of the code. */
import { operations } from '../../packages/server/src/operate/api/operations.ts'
import { operatorRoot } from '../../packages/server/src/operate/api/routes.ts'
import {
  merchantPermissions,
  merchantRoles,
  operatorPermissions,
  operatorRoles,
} from '../../packages/server/src/people/roles.ts'
import { note } from './reference-pages.ts'

interface Role {
  readonly summary: string
  readonly permissions: readonly string[]
  readonly sandbox?: readonly string[]
}

export function rolesPage(): string {
  return `${note}

# Roles

A role is a list of permissions, and every route asks for one of them. A person can have several roles, and a role can be limited to countries
and currencies. One can grant only what one holds.

## Operator staff

${summaries(operatorRoles)}

${matrix(operatorPermissions, operatorRoles)}

## People of a merchant

Their roles count within that merchant only. "sandbox" means that the role has the permission in the sandbox only.

${summaries(merchantRoles)}

${matrix(merchantPermissions, merchantRoles)}

## Routes of the operator API

Actions with an approver become a proposal in live: another person with that permission approves it. [How it
works](../decisions/four-eyes.md).

| route | permission | approver |
|---|---|---|
${operations
  .map(
    ({ method, path, permission, control }) =>
      `| \`${method} ${operatorRoot}${path.replaceAll(/:(\w+)/g, '{$1}')}\` | \`${permission}\` | ${control ? `\`${control.approve}\`` : ''} |`,
  )
  .join('\n')}
`
}

const summaries = (roles: Readonly<Record<string, Role>>) =>
  [
    '| role | what for |',
    '|---|---|',
    ...Object.entries(roles).map(([name, { summary }]) => `| ${name} | ${summary} |`),
  ].join('\n')

function matrix(permissions: Readonly<Record<string, string>>, roles: Readonly<Record<string, Role>>): string {
  const names = Object.keys(roles)
  const cell = (permission: string, role: Role | undefined) => {
    if (role?.permissions.includes(permission)) return 'yes'
    return role?.sandbox?.includes(permission) ? 'sandbox' : ''
  }
  return [
    `| permission | what it allows | ${names.join(' | ')} |`,
    `|---|---|${names.map(() => '---').join('|')}|`,
    ...Object.entries(permissions).map(
      ([permission, about]) =>
        `| \`${permission}\` | ${about} | ${names.map((name) => cell(permission, roles[name])).join(' | ')} |`,
    ),
  ].join('\n')
}
