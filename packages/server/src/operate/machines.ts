import { createMachine, type MachineOrder, type NewMachine, revokeMachine } from '../people/machines.ts'
import { audited, type OperatorContext } from './operator-context.ts'
import { inPlainWords, peopleOf, stated } from './people.ts'

export interface NewMachineOrder extends MachineOrder {
  readonly reason?: string
}

/** Creates a key pair for a machine of the operator. Its API key is in the result, and nowhere else. */
export function addMachine(context: OperatorContext, { reason, ...order }: NewMachineOrder): Promise<NewMachine> {
  return inPlainWords(
    audited(context, async (tx) => {
      const result = await createMachine(tx, peopleOf(context), context.principal, order)
      const { name, permissions, addresses = [] } = order
      const detail = { name, permissions, addresses }
      return { result, entry: { action: 'machine.create', subject: result.id, detail, reason } }
    }),
  )
}

/** Ends a machine's key pair and its tokens at once. */
export function revokeMachineBy(context: OperatorContext, machine: string, reason: string): Promise<void> {
  const order = { machine, reason: stated(reason) }
  return inPlainWords(
    context.db.write.transaction((tx) => revokeMachine(tx, peopleOf(context), context.principal, order)),
  )
}
