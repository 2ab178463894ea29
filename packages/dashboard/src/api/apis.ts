import { type Operations as MerchantOperations, operations as merchantOperations } from '../generated/merchant-api.ts'
import { type Operations as OperatorOperations, operations as operatorOperations } from '../generated/operator-api.ts'
import { type Operations as PeopleOperations, operations as peopleOperations } from '../generated/people-api.ts'
import { call, type Input } from './call.ts'

type Part<Operation, Name extends string> = Name extends keyof Operation ? Pick<Operation, Name> : object

/** What a call of an operation takes. */
export type InputOf<Operation> = Part<Operation, 'path'> &
  Part<Operation, 'query'> &
  Part<Operation, 'body'> &
  Pick<Input, 'key' | 'signal'>

export type AnswerOf<Operation> = Operation extends { answer: infer Answer } ? Answer : never

type Caller<Operations> = <Id extends keyof Operations & string>(
  id: Id,
  input: InputOf<Operations[Id]>,
) => Promise<AnswerOf<Operations[Id]>>

type Routes<Operations> = Readonly<Record<keyof Operations & string, Parameters<typeof call>[1]>>

const caller =
  <Operations>(root: string, routes: Routes<Operations>): Caller<Operations> =>
  (id, input) =>
    call(root, routes[id], input as Input) as never

export type Environment = 'live' | 'sandbox'

/** One merchant in one environment. */
export interface Place {
  readonly merchantId: string
  readonly env: Environment
}

export const merchantRoot = ({ merchantId, env }: Place): string =>
  `/dashboard/v1/merchants/${encodeURIComponent(merchantId)}/${env}`

export const merchantApi = (place: Place): Caller<MerchantOperations> =>
  caller<MerchantOperations>(merchantRoot(place), merchantOperations)
export const operatorApi: Caller<OperatorOperations> = caller<OperatorOperations>('/operator/v1', operatorOperations)
export const peopleApi: Caller<PeopleOperations> = caller<PeopleOperations>('/people/v1', peopleOperations)
