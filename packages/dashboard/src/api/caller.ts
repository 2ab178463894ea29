import { call, type Input } from './call.ts'

type Part<Operation, Name extends string> = Name extends keyof Operation ? Pick<Operation, Name> : object

/** What a call of an operation takes. */
export type InputOf<Operation> = Part<Operation, 'path'> &
  Part<Operation, 'query'> &
  Part<Operation, 'body'> &
  Pick<Input, 'key' | 'signal'>

export type AnswerOf<Operation> = Operation extends { answer: infer Answer } ? Answer : never

/** A list whose next page is named by a header. */
export type Paged<Answer> = Answer & { readonly nextCursor?: string }

export type Caller<Operations> = <Id extends keyof Operations & string>(
  id: Id,
  input: InputOf<Operations[Id]>,
) => Promise<AnswerOf<Operations[Id]>>

type Routes<Operations> = Readonly<Record<keyof Operations & string, Parameters<typeof call>[1]>>

/** A typed function for the operations of one API. */
export const caller =
  <Operations>(root: string, routes: Routes<Operations>): Caller<Operations> =>
  (id, input) =>
    call(root, routes[id], input as Input) as never
