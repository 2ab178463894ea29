import { CallError } from '../../../api/call.ts'
import { Note } from '../../../ui/note.tsx'

/** A part of a page that could not be loaded. What was loaded before stays. */
export function QueryProblem({ error }: { readonly error: Error | null }) {
  if (!error) return null
  const refusal = error instanceof CallError ? error : undefined
  return (
    <Note className="my-3" look="fail">
      <p>{error.message}</p>
      <p>No payment is affected. The page asks again by itself.</p>
      {refusal?.requestId !== undefined && <p className="mt-1 font-mono text-2xs">{refusal.requestId}</p>}
    </Note>
  )
}
