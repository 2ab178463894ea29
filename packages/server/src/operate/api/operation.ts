import type { Static, TObject, TSchema } from 'typebox'
import type { OperatorPermission } from '../../people/roles.ts'
import type { LocalOperator } from '../bind-operator.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Two people are needed: one proposes, another with this permission approves. */
interface Control<Input> {
  readonly approve: OperatorPermission
  /** One line for the approver. */
  describe(input: Input): string
  /** Whether this input needs two people; always if missing. Sandbox money never does. */
  isNeeded?(input: Input): boolean
}

/** A route of the operator API. Fields of the input that the path names are its parameters; the others are its query or its body. */
export interface Operation<Input = never, Output = unknown> {
  /** The place in the operator's interface, such as `payments.resolve`. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below `/operator/v1`. */
  readonly path: string
  readonly permission: OperatorPermission
  readonly summary: string
  readonly input: TObject
  readonly output: TSchema
  readonly control?: Control<Input>
  /** Whether the person must have proved presence within 5 minutes: money, keys, people, limits. */
  readonly isSteppedUp?: true
  /** It changes nothing: it is a POST because what it takes must not be in a URL, which histories and logs keep. */
  readonly isRead?: true
  /** Countries and currencies are compared with the proposal's when it is decided, not with this input. */
  readonly isScopedByProposal?: true
  run(operator: LocalOperator, input: Input, context: OperatorContext): Promise<Output>
}

/** The views are read-only; schemas are not. */
type Frozen<Value> = Value extends (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value

/** Declares an operation with the types of its schemas. */
export function operation<Input extends TObject, Output extends TSchema>(
  declared: Omit<Operation<Static<Input>, Frozen<Static<Output>>>, 'input' | 'output'> & {
    readonly input: Input
    readonly output: Output
  },
): Operation {
  return declared as unknown as Operation
}
