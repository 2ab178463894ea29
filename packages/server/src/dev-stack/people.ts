import { loadOperatorConfig } from '../config.ts'
import { acceptAsNewPerson } from '../people/accept-invitation.ts'
import { findInvitation, inviteMerchantPerson, inviteOperator } from '../people/invite.ts'
import { type PeopleContext, peopleContext } from '../people/people-context.ts'
import { breakGlass } from '../people/principal.ts'
import { createSignInLink } from '../people/sign-in-link.ts'
import { findByEmail } from '../people/store.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import { openDatabase, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { createVault } from '../platform/seal.ts'

/** Two people of the first merchant and two of the operator's staff: one makes a change, the other approves it. */
const people = [
  { name: 'Amina Otieno', email: 'amina.otieno@example.com', role: 'owner', isStaff: false },
  { name: 'Brian Kiprop', email: 'brian.kiprop@example.com', role: 'approver', isStaff: false },
  { name: 'Neema Mwakyusa', email: 'neema.mwakyusa@example.com', role: 'admin', isStaff: true },
  { name: 'Tunde Adeyemi', email: 'tunde.adeyemi@example.com', role: 'admin', isStaff: true },
] as const

type DevelopmentPerson = (typeof people)[number]

export interface SignInLink {
  readonly name: string
  readonly role: string
  /** Of the operator's staff; otherwise of the first merchant. */
  readonly isStaff: boolean
  /** Works once, for 15 minutes. */
  readonly link: string
}

/** New sign-in links for the people of a development stack, who join at the first call. `variables` are those that the stack exports. */
export async function signInLinks(variables: Readonly<Record<string, string | undefined>>): Promise<SignInLink[]> {
  const config = loadOperatorConfig(variables)
  const db = openDatabase({
    url: config.databaseUrl,
    connectionsMax: 1,
    statementTimeoutMs: 10_000,
    onError: () => undefined, // The next query reports it.
  })
  try {
    const context = peopleContext({ config, vault: createVault(config.secretKeys) })
    const merchant = await merchantOf(db.write, variables['MALIPO_PUBLIC_KEY'] ?? '')
    const links: SignInLink[] = []
    for (const person of people) {
      const id = (await findByEmail(db.write, person.email))?.id ?? (await join(db.write, context, person, merchant))
      const link = await createSignInLink(db.write, context, id)
      links.push({ name: person.name, role: person.role, isStaff: person.isStaff, link })
    }
    return links
  } finally {
    await db.close()
  }
}

async function merchantOf(db: WriteDb, publicKey: string): Promise<string> {
  const [found] = await db.query<{ merchant_id: string }>(sql`
    select merchant_id
    from credentials
    where public_key = ${publicKey}`)
  if (!found) throw new Error('The first merchant of this stack was not found.')
  return found.merchant_id
}

/** Joins as people do, by an invitation; but without a way to sign in, so that the links are the only one. */
function join(db: WriteDb, context: PeopleContext, person: DevelopmentPerson, merchant_id: string): Promise<string> {
  return db.transaction(async (tx) => {
    const { link } = await invite(tx, context, person, merchant_id)
    const invitation = await findInvitation(tx, context.vault, new URL(link).hash.slice(1))
    const person_id = newId(await databaseTimeMs(tx), context.cell)
    await acceptAsNewPerson(tx, context, { ...invitation, person_id, origin: {} }, async () => undefined)
    return person_id
  })
}

function invite(tx: Tx, context: PeopleContext, person: DevelopmentPerson, merchant_id: string) {
  const by = breakGlass('npm run dev')
  const { name, email } = person
  return person.isStaff
    ? inviteOperator(tx, context, by, { name, email, role: person.role })
    : inviteMerchantPerson(tx, context, by, { name, email, role: person.role, merchant_id })
}
