import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { CallError } from '../api/call.ts'
import { say } from './toast.tsx'

interface Action<Input, Result> {
  /** `key` makes a repeated request the same request. */
  readonly run: (input: Input, key: string) => Promise<Result>
  /** What has happened, once the server says so. */
  readonly done: (result: Result, input: Input) => string | undefined
  /** What the action changed, to be read again. */
  readonly changes?: readonly QueryKey[]
  readonly onDone?: (result: Result) => void
}

/**
 * An action of a person. Nothing is shown as done before the server says so. One runs at a time: a second click that comes before the
 * button shows as busy does nothing. While the request is unanswered, trying again sends the same key, so that it cannot happen twice;
 * another input is another action.
 */
export function useAction<Input, Result>({ run, done, changes = [], onDone }: Action<Input, Result>) {
  const queries = useQueryClient()
  const last = useRef<{ readonly input: string; readonly key: string }>(undefined)
  const isRunning = useRef(false)
  const keyFor = (input: string) => {
    if (last.current?.input !== input) last.current = { input, key: crypto.randomUUID() }
    return last.current.key
  }
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: (input) => run(input, keyFor(JSON.stringify(input ?? null))),
    onSuccess: async (result, input) => {
      last.current = undefined
      const fact = done(result, input)
      if (fact !== undefined) say(fact)
      onDone?.(result)
      await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
    onError: (error) => {
      if (isAnswered(error)) last.current = undefined
    },
    onSettled: () => {
      isRunning.current = false
    },
  })
  return {
    run: (input: Input) => {
      if (isRunning.current) return
      isRunning.current = true
      mutation.mutate(input)
    },
    isBusy: mutation.isPending,
    error: mutation.error,
    isUnanswered: mutation.isError && !isAnswered(mutation.error),
    reset: mutation.reset,
  }
}

/** Otherwise it may have happened, or happen later: the server takes the same request again under the same key. */
const isAnswered = (error: Error) => error instanceof CallError && error.code !== 'NO_RESPONSE' && error.status < 500

/** The server's words for one field of a form. */
export function problemOf(error: Error | null, field: string): string | undefined {
  return error instanceof CallError ? error.details.find((each) => each.field === field)?.message : undefined
}
