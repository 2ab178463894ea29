import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { OperatorRole } from '../people/roles.ts'
import { readId } from '../platform/ids.ts'
import { type Malipo, testMalipo } from './malipo.ts'
import { type TestPerson, testPerson } from './people.ts'

const merchantOrder = { name: 'Duka', email: 'a@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
export const funding = { env: 'live', currency: 'KES', country: 'KE', amount: '1000000', reason: 'prefunding' }

/** A merchant without money, and staff who act on it. */
export interface OperatorScene {
  readonly malipo: Malipo
  readonly merchant: string
  readonly person: (role: OperatorRole, name?: string) => Promise<TestPerson>
  readonly balance: () => Promise<bigint>
}

export async function operatorScene(t: TestContext): Promise<OperatorScene> {
  const malipo = await testMalipo(t)
  const { id: merchant } = await malipo.operator.merchants.create(merchantOrder)
  return {
    malipo,
    merchant,
    person: (role, name = `${role} person`) => testPerson(malipo, { operator: [role], name }),
    balance: async () => {
      const [row] = await malipo.ask<{ sum: string | null }>(
        `select sum(credits_posted - debits_posted) from wallets where merchant_id = $1 and env = 'live'`,
        [readId('merchant', merchant)],
      )
      return BigInt(row?.sum ?? 0)
    },
  }
}

let evidences = 0

/** Evidence is used once. */
export const newEvidence = () => `statement line ${++evidences}`

/** Proposes to fund the merchant and returns the proposal. */
export async function proposeFunding(maker: TestPerson, merchant: string, evidence = newEvidence()) {
  const path = `/operator/v1/merchants/${merchant}/wallets/fund`
  const { status, body } = await maker.call('POST', path, { ...funding, evidence })
  assert.equal(status, 202, JSON.stringify(body))
  return body['data'] as { proposalId: string; state: string; postings: Record<string, string>[] }
}

export const decide = (person: TestPerson, proposalId: string, verb: 'approve' | 'reject' | 'withdraw') =>
  person.call('POST', `/operator/v1/proposals/${proposalId}/${verb}`, { reason: 'checked' })
