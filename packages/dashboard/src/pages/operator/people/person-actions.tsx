import { operatorApi } from '../../../api/operator-api.ts'
import { SelectField } from '../../../ui/field.tsx'
import { useIsPhone } from '../../../ui/use-media.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { ReasonAction } from '../parts/reason-action.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { codesOf, roleOptions, ScopeFields } from './invite-dialog.tsx'
import type { Person } from './people-page.tsx'

interface PersonActionsProps {
  readonly person: Person
  readonly onDone: (result: unknown) => void
}

/** On a phone they are behind one word: five buttons would make every row as high as five. */
export function PersonActions(props: PersonActionsProps) {
  const { may } = useOperator()
  const isPhone = useIsPhone()
  if (!may('people:write') || props.person.state === 'ended') return null
  if (!isPhone) return <Actions {...props} />
  return (
    <details>
      <summary
        aria-label={`Actions for ${props.person.name}`}
        className="cursor-pointer py-1 font-medium whitespace-nowrap"
      >
        Actions
      </summary>
      <Actions {...props} />
    </details>
  )
}

function Actions({ person: { id, name, roles }, onDone }: PersonActionsProps) {
  const shared = { permission: 'people:write', of: name, look: 'quiet' } as const
  const path = { person: id }
  return (
    <div className="flex flex-wrap justify-end gap-1">
      <FormDialog
        done="The role is given; the person signs in again to use it"
        look="quiet"
        of={`to ${name}`}
        run={({ role = '', countries, currencies, reason = '' }) =>
          operatorApi('postPeoplePersonRoles', {
            path,
            body: { role, countries: codesOf(countries), currencies: codesOf(currencies), reason },
          })
        }
        title={`Give ${name} another role`}
        verb="Propose the role"
        word="Add role"
      >
        <p className="text-ink-2">Another person must approve it.</p>
        <SelectField label="Role" name="role" options={roleOptions} />
        <ScopeFields />
      </FormDialog>
      {roles
        .filter(({ merchant }) => merchant === null)
        .map((role) => (
          <ReasonAction
            {...shared}
            done="The role has ended"
            key={role.id}
            of={`of ${name}`}
            run={(reason) => operatorApi('postRolesMembershipEnd', { path: { membership: role.id }, body: { reason } })}
            title={`End the role ${role.role} of ${name}`}
            verb="End the role"
            word={`End ${role.role}`}
          >
            <p>The role ends at once, and so do the person’s sessions.</p>
          </ReasonAction>
        ))}
      <ReasonAction
        {...shared}
        done="All sessions have ended"
        run={(reason) => operatorApi('postPeoplePersonEndSessions', { path, body: { reason } })}
        title={`Sign ${name} out everywhere`}
        verb="End all sessions"
        word="Sign out"
      >
        <p>Every session ends at once. {name} can sign in again.</p>
      </ReasonAction>
      <ReasonAction
        {...shared}
        done="A new link is made"
        onDone={onDone}
        run={(reason) => operatorApi('postPeoplePersonRecover', { path, body: { reason } })}
        title={`Let ${name} back in`}
        verb="Propose the recovery"
        word="Recover"
      >
        <p>
          For a person who lost every way to sign in: they all end, roles stay, and a new link is made. Another person
          approves it.
        </p>
      </ReasonAction>
      <ReasonAction
        {...shared}
        done="The person is disabled"
        isFinal
        look="danger"
        run={(reason) => operatorApi('postPeoplePersonEnd', { path, body: { reason } })}
        title={`Disable ${name} permanently`}
        verb="Disable the person"
        word="Disable"
      >
        <p>All roles and sessions end.</p>
      </ReasonAction>
    </div>
  )
}
