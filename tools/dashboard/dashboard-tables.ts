/** packages/dashboard/src/generated: tables of the server that single pages show, each in a file of its own. */

import { scopes } from '../../packages/server/src/auth/scopes.ts'
import { neededFor } from '../../packages/server/src/dashboard/keys.ts'
import { merchantErrors } from '../../packages/server/src/errors.ts'
import { merchantPermissions, merchantRoles } from '../../packages/server/src/people/roles.ts'
import { failureCodes } from '../../packages/server/src/providers/failure-codes.ts'
import type { ReferenceData } from '../../packages/server/src/reference/data.ts'
import { readPhone } from '../../packages/server/src/reference/phones.ts'
import { scenarios } from '../../packages/server/src/scenarios/catalogue.ts'
import { endings, refundEndings, refundFailure, stayingEnding } from '../../packages/simulator/src/outcomes.ts'

const folder = 'packages/dashboard/src/generated'
const made = '// Made by npm run generate from tables of the server; do not edit.\n\n'

export function dashboardTables(data: ReferenceData): [string, string][] {
  return [
    [`${folder}/access.ts`, made + accessTable()],
    [`${folder}/sandbox.ts`, made + sandboxTable(data)],
    [`${folder}/error-words.ts`, made + errorTable()],
  ]
}

const shown = (value: unknown) => JSON.stringify(value, null, 2)

function accessTable(): string {
  const roles = Object.entries(merchantRoles).map(([role, rest]) => {
    const {
      summary,
      permissions,
      sandbox = [],
    }: { summary: string; permissions: readonly string[]; sandbox?: readonly string[] } = rest
    return { role, summary, permissions, sandbox }
  })
  return `export interface Role {
  readonly role: 'viewer' | 'support' | 'developer' | 'finance' | 'approver' | 'owner'
  readonly summary: string
  readonly permissions: readonly string[]
  /** In the sandbox only. */
  readonly sandbox: readonly string[]
}

/** The roles of a merchant's people. */
export const roles: readonly Role[] = ${shown(roles)}

/** What each permission allows. */
export const permissionWords: Readonly<Record<string, string>> = ${shown(merchantPermissions)}

/** The scopes of a key pair, with the permissions that the person who creates it must hold. */
export const scopes: readonly { readonly scope: string; readonly needs: readonly string[] }[] = ${shown(
    scopes.map((scope) => ({ scope, needs: neededFor[scope] ?? [] })),
  )}
`
}

function sandboxTable(data: ReferenceData): string {
  const failing = (['charge', 'payout'] as const).flatMap((operation) =>
    Object.entries(endings[operation]).map(([ending, code]) => ({
      ending,
      of: operation,
      outcome: code,
      what: failureCodes[code],
    })),
  )
  const numbers = [
    ...failing,
    { ending: stayingEnding, of: 'both', outcome: 'PENDING', what: 'Stays pending until you end it, or it expires.' },
    { ending: '789', of: 'both', outcome: 'SUCCESSFUL', what: 'Any other ending succeeds within 2 seconds.' },
  ]
  const refunds = [
    { ending: refundEndings.fails, outcome: refundFailure, what: failureCodes[refundFailure] },
    { ending: refundEndings.stays, outcome: 'PENDING', what: 'Stays pending until you end it.' },
  ]
  return `/** What the last three digits of a number choose, of a charge, a payout or both. */
export const numbers: readonly { readonly ending: string; readonly of: string; readonly outcome: string; readonly what: string }[] = ${shown(numbers)}

/** What the last two digits of the whole amount of a refund choose. */
export const refunds: readonly { readonly ending: string; readonly outcome: string; readonly what: string }[] = ${shown(refunds)}

/** Faults between the systems, for one payment. */
export const scenarios: readonly { readonly name: string; readonly what: string }[] = ${shown(
    Object.entries(scenarios).map(([name, { what }]) => ({ name, what })),
  )}

/** A phone number of each country without its last three digits. */
export const phones: readonly { readonly country: string; readonly name: string; readonly start: string }[] = ${shown(phonesOf(data))}
`
}

/** Starts as the numbers of the country's first operator do, and is as long as the country's numbers are. */
function phonesOf({ countries, operators }: ReferenceData) {
  return [...countries.values()].flatMap(({ iso2, name, dialing_code }) => {
    const prefixes = [...operators.values()].flatMap((operator) => (operator.country === iso2 ? operator.prefixes : []))
    const [start] = prefixes
      .flatMap((prefix) => fillings.map((filling) => `${dialing_code}${prefix}${filling}`))
      .filter((each) => readPhone(`${each}789`) !== undefined)
    return start === undefined ? [] : { country: iso2, name, start }
  })
}

/** The digits between an operator's prefix and the last three, from none to eight. */
const fillings = Array.from({ length: 9 }, (_, length) => '12345678'.slice(0, length))

function errorTable(): string {
  const words = Object.values(merchantErrors).map(({ errorCode, cause, fix }) => [errorCode, { cause, fix }] as const)
  return `/** Why the API refuses, and what to do, by error code. */
export const errorWords: Readonly<Record<string, { readonly cause: string; readonly fix: string }>> = ${shown(
    Object.fromEntries(words.reverse()),
  )}
`
}
