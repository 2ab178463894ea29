/** docs/reference/roles.md: who may do what, from the tables of the code. */
import { type MemberAccess, memberAccess } from '../../packages/server/src/dashboard/access.ts'
import { operations } from '../../packages/server/src/operate/api/operations.ts'
import { operatorRoot } from '../../packages/server/src/operate/api/routes.ts'
import { permissionsOf } from '../../packages/server/src/people/members.ts'
import {
  type MerchantRole,
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

## Routes of merchants' people

Below \`/dashboard/v1/merchants/{merchantId}/{env}\`. "any" means any role in the merchant. Routes marked "yes" need a proof of presence from the
last 5 minutes. A change needs a role without limits, unless the route compares its country and currency with those of the role.

| route | permission | proof of presence | ${Object.keys(merchantRoles).join(' | ')} |
|---|---|---|${Object.keys(merchantRoles)
    .map(() => '---')
    .join('|')}|
${Object.entries(memberAccess).map(memberRow).join('\n')}

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

/** A route of merchants' people, and which roles may call it. */
function memberRow([route, { member, isSteppedUp }]: [string, MemberAccess]): string {
  const cells = (Object.keys(merchantRoles) as MerchantRole[]).map((role) => {
    const mayIn = (env: 'live' | 'sandbox') => member === 'member' || permissionsOf(role, env).includes(member)
    return mayIn('live') ? 'yes' : mayIn('sandbox') ? 'sandbox' : ''
  })
  const permission = member === 'member' ? 'any' : `\`${member}\``
  const path = route.replaceAll(/:(\w+)/g, '{$1}')
  return `| \`${path}\` | ${permission} | ${isSteppedUp ? 'yes' : ''} | ${cells.join(' | ')} |`
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
