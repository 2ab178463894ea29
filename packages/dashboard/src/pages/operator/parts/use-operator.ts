import { useSearch } from '@tanstack/react-router'
import type { Environment } from '../../../api/place.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { type Me, operatorPermissions, useMe } from '../../../session.ts'
import { useAction } from '../../../ui/use-action.ts'

interface Operator {
  readonly env: Environment
  readonly me: Me
  /** The server decides; this only hides what it would refuse. */
  readonly may: (permission: string) => boolean
}

export function useOperator(): Operator {
  const { env = 'live' } = useSearch({ from: '/operator' })
  const me = useMe()
  const permissions = operatorPermissions(me)
  return { env, me, may: (permission) => permissions.has(permission) }
}

/** Every query of the operator's pages starts with it: an action of staff may change what any of them shows. */
export const operatorKey = 'operator'

type Proposal = Schemas['Proposal']

interface StaffAction<Input, Data> {
  readonly run: (input: Input) => Promise<{ readonly data: Data }>
  /** What has happened when no second person is needed. */
  readonly done: string
  readonly onDone?: (data: Data | Proposal) => void
}

/** An action of staff. Where two people are needed, the server makes it a proposal instead. */
export function useStaffAction<Input, Data>({ run, done, onDone }: StaffAction<Input, Data>) {
  return useAction<Input, { readonly data: Data | Proposal }>({
    run,
    done: ({ data }) => (isProposal(data) ? `Proposed: another person must approve it` : done),
    changes: [[operatorKey]],
    onDone: ({ data }) => onDone?.(data),
  })
}

export const isProposal = (data: unknown): data is Proposal =>
  typeof data === 'object' && data !== null && 'proposalId' in data
