import { CallError } from '../api/call.ts'
import { amountsGrouped } from './amounts-grouped.ts'
import { Note } from './note.tsx'

/** Why an action was refused, what to do, and the id to report. */
export function ActionProblem({ error }: { readonly error: Error | null }) {
  if (!error) return null
  const refusal = error instanceof CallError ? error : undefined
  return (
    <Note look="fail">
      <p>{amountsGrouped(error.message)}</p>
      {refusal?.code === 'NO_RESPONSE' && <p>It may have happened. Trying again cannot do it twice.</p>}
      {refusal?.fix !== undefined && <p className="text-ink-2">{refusal.fix}</p>}
      {refusal?.details.map(({ field, message }) => (
        <p className="text-ink-2" key={`${field} ${message}`}>
          {field}: {amountsGrouped(message)}
        </p>
      ))}
      {refusal?.requestId !== undefined && <p className="mt-1 font-mono text-2xs text-ink-3">{refusal.requestId}</p>}
    </Note>
  )
}
