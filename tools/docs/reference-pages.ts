/** docs/reference: states, events, failures and currencies from the tables of the code. */
import { eventNames } from '../../packages/server/src/events/catalogue.ts'
import { type ApiDocument, inlined } from '../../packages/server/src/http/reference/document.ts'
import { fieldsOf } from '../../packages/server/src/http/reference/fields.ts'
import { currencies } from '../../packages/server/src/money/currencies.ts'
import {
  publicStatus,
  stageMeanings,
  stageOf,
  states,
  transitions,
} from '../../packages/server/src/payments/model/state.ts'
import { failureCodes } from '../../packages/server/src/providers/failure-codes.ts'
import type { ReferenceData } from '../../packages/server/src/reference/data.ts'
import { scenarios } from '../../packages/server/src/scenarios/catalogue.ts'
import {
  endings,
  refundEndings,
  refundFailure,
  stayingEnding,
  unknownEnding,
} from '../../packages/simulator/src/outcomes.ts'
import { meaningOf } from './api-pages.ts'

export const note = '<!-- Made by npm run generate. Change the table in the code instead. -->'

export function statesPage(): string {
  const stages = Object.entries(stageMeanings).map(([stage, meaning]) => {
    const [state] = states.filter((each) => stageOf(each, undefined) === stage)
    return `| \`${stage}\` | \`${(state ? publicStatus[state] : 'failed').toUpperCase()}\` | ${meaning} |`
  })
  const steps = states.map((state) => {
    const next = [...new Set(transitions[state].map((each) => stageOf(each, undefined)))]
    return `| ${state} | \`${stageOf(state, undefined)}\` | ${transitions[state].join(', ') || 'none: final'} | ${next.map((stage) => `\`${stage}\``).join(', ')} |`
  })
  const failures = Object.entries(failureCodes).map(
    ([code, message]) => `| <a id="${code.toLowerCase()}"></a>\`${code}\` | ${message} |`,
  )
  return `${note}

# States

A transaction has a \`status\` and, when it is read alone, a \`stage\` with more detail. [What they mean for your
program](../concepts/states.md).

| stage | status | what it means |
|---|---|---|
${stages.join('\n')}

## Inside

What a payment may become next. The operator's commands and the log use the words of the first column; the API shows the second.

| state | stage | may become | which shows as |
|---|---|---|---|
${steps.join('\n')}

## Why a payment failed

\`failureReason.failureCode\` is one of these. \`failureMessage\` is a sentence you may show, \`providerCode\` the provider's own word.

| failureCode | failureMessage |
|---|---|
${failures.join('\n')}
`
}

export function eventsPage(document: ApiDocument): string {
  const { WebhookEvent = {} } = inlined(document).components?.schemas ?? {}
  const fields = fieldsOf(WebhookEvent)
    .filter((row) => 'name' in row)
    .map((row) => `| \`${row.name}\` | ${row.type}${row.isRequired ? '' : ', optional'} | ${meaningOf(row)} |`)
  const rows = Object.entries(eventNames).map(([name, about]) => `| \`${name}\` | ${about} |`)
  return `${note}

# Events

Your notifications, by [webhook](../guides/webhooks.md) and in the feed \`GET /api/b2b/events\`. Both carry the same body.

| event | when |
|---|---|
${rows.join('\n')}

## Body

| field | type | |
|---|---|---|
${fields.join('\n').replaceAll('](../', '](')}
`
}

/** The dollar has so many pairs that their number says more than their names. */
const shown = (code: string, pairs: readonly string[]) =>
  pairs.length > 5 ? `${code} with ${pairs.length} others` : pairs.join(', ')

export function currenciesPage(data: ReferenceData): string {
  const pairs = data.pairs.map(({ base, quote }) => `${base}/${quote}`)
  const rows = Object.entries(currencies).map(([code, entry]) => {
    const country = 'country' in entry ? (data.countries.get(entry.country)?.name ?? entry.country) : 'several'
    const exchanged = pairs.filter((pair) => pair.split('/').includes(code))
    return `| \`${code}\` | ${entry.exponent} | ${country} | ${shown(code, exchanged)} |`
  })
  return `${note}

# Currencies

Amounts are JSON numbers in major units, with at most as many decimals as the currency has; a rail may take fewer, as
[coverage](coverage.md) says. A currency of several countries has a wallet for each of them ([wallets](../concepts/money.md)).

| currency | decimals | country | exchanged as |
|---|---|---|---|
${rows.join('\n')}
`
}

export function sandboxPage(): string {
  const numbers = (['charge', 'payout'] as const).flatMap((operation) =>
    Object.entries(endings[operation]).map(
      ([ending, code]) => `| ${ending} | ${operation} | \`${code}\` | ${failureCodes[code]} |`,
    ),
  )
  const played = Object.entries(scenarios).map(([name, { what }]) => `| \`${name}\` | ${what} |`)
  return `${note}

# Sandbox values

The number chooses the outcome of a payment in the sandbox. \`GET /api/sandbox/b2b/utilities/test-values\` has the same with numbers to copy,
and the cards. [How to test](../guides/test.md).

## Numbers

The last three digits of a phone, account or till number, in every country.

| digits | of a | outcome | |
|---|---|---|---|
${numbers.sort().join('\n')}
| ${stayingEnding} | charge or payout | \`PENDING\` | Stays pending until you end it, or it expires. |
| ${unknownEnding} | name to resolve | \`E-CH-PY.S-37\` | The account does not exist. |
| any other | charge or payout | \`SUCCESSFUL\` | Succeeds within 2 seconds. |

## Amounts of refunds

The last two digits of the whole amount, before the decimal point. A refund takes no number.

| digits | outcome | |
|---|---|---|
| ${refundEndings.fails} | \`${refundFailure}\` | ${failureCodes[refundFailure]} |
| ${refundEndings.stays} | \`PENDING\` | Stays pending until you end it. |
| any other | \`SUCCESSFUL\` | Succeeds within 2 seconds. |

## Scenarios

By the header \`X-Sandbox-Scenario\` of a charge or payout, or set beforehand for its reference.

| scenario | what happens |
|---|---|
${played.join('\n')}
`
}
