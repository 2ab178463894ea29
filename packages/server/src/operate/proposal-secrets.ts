import { type Invited, requireCode } from '../people/invite.ts'
import type { NewMachine } from '../people/machines.ts'
import { sql, type Tx } from '../platform/db.ts'
import { mayStillPropose } from './approver.ts'
import type { NewPair } from './keys.ts'
import { audited, type Done, type OperatorContext, OperatorError } from './operator-context.ts'
import { type Approved, noProposal, placeOf, proposalId, type Stored, trail } from './proposal-rows.ts'

/** What an executed proposal has for one person each: its maker the key or the link, its approver the code. */
interface Secrets {
  readonly maker?: NewPair | NewMachine | Invited
  readonly approver?: { readonly code: string }
}

type Collected = NonNullable<Secrets[keyof Secrets]>

/** Seals what the maker and the approver collect later, once each. Neither sees the other's part. */
export async function sealedSecrets(
  { vault }: OperatorContext,
  tx: Tx,
  id: string,
  { result }: Done<unknown>,
): Promise<string | null> {
  if (!hasSecret(result)) return null
  // With the link alone, the maker could join in the invited person's name and be both people.
  const code = 'link' in result ? await requireCode(tx, vault, result.id) : undefined
  const secrets: Secrets = { maker: result, ...(code !== undefined && { approver: { code } }) }
  return vault.seal(JSON.stringify(secrets), secretContext(id))
}

/** A new API key, or the link of an invitation. */
const hasSecret = (result: unknown): result is NonNullable<Secrets['maker']> =>
  typeof result === 'object' && result !== null && ('apiKey' in result || 'link' in result)

export const secretContext = (id: string) => `proposals.sealed_secret ${id}`

/** What only this person may see of an executed proposal, once. */
export function collectSecret(
  context: OperatorContext,
  shownId: string,
  operationOf: (name: string) => Pick<Approved, 'permission' | 'approve'>,
): Promise<Collected> {
  const id = proposalId(shownId)
  const { vault } = context
  return audited(context, async (tx) => {
    const [proposal] = await tx.query<Stored>(
      sql`select *, false as is_past from proposals where id = ${id} for update`,
    )
    if (!proposal) throw noProposal(id)
    const part = await partFor(context, tx, proposal, operationOf(proposal.operation))
    const { sealed_secret } = proposal
    const secrets = sealed_secret === null ? {} : (JSON.parse(vault.open(sealed_secret, secretContext(id))) as Secrets)
    const { [part]: result, ...rest } = secrets
    if (!result) throw new OperatorError(`${shownId} has nothing for you to collect`)
    const left = Object.keys(rest).length === 0 ? null : vault.seal(JSON.stringify(rest), secretContext(id))
    await tx.query(sql`update proposals set sealed_secret = ${left} where id = ${id}`)
    return { result, entry: trail('proposal.collect', proposal) }
  })
}

/** Which part is for this person, who must still have the right that the proposal needed. */
async function partFor(
  { principal: { id } }: OperatorContext,
  tx: Tx,
  proposal: Stored,
  { permission, approve }: Pick<Approved, 'permission' | 'approve'>,
): Promise<keyof Secrets> {
  const { maker_id, decided_by } = proposal
  if (![maker_id, decided_by].includes(id))
    throw new OperatorError('only the people who proposed and approved this can collect its key, link or code')
  const needed = maker_id === id ? permission : approve
  if (!(await mayStillPropose(tx, id, needed, placeOf(proposal))))
    throw new OperatorError(`you no longer have the permission ${needed}`)
  return maker_id === id ? 'maker' : 'approver'
}
