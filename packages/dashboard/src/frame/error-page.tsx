import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { CallError } from '../api/call.ts'
import { Button } from '../ui/button.tsx'

/** What failed, that payments are not affected, a way to try again, and the id to report. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  const refusal = error instanceof CallError ? error : undefined
  if (refusal?.status === 403) return <Refused message={refusal.message} fix={refusal.fix} />
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <section className="mx-auto grid max-w-[520px] gap-3 px-6 py-16" role="alert">
      <h1 className="text-xl font-semibold">This page could not be loaded</h1>
      <p className="text-ink-2">{refusal?.message ?? 'Something went wrong in the page itself.'}</p>
      <p className="text-ink-3">No payment is affected: they continue without the dashboard.</p>
      {refusal?.requestId && (
        <p className="text-xs text-ink-3">
          Request <code>{refusal.requestId}</code>
        </p>
      )}
      <div>
        <Button icon="ring" look="primary" onClick={again}>
          Load again
        </Button>
      </div>
    </section>
  )
}

function Refused({ message, fix }: { readonly message: string; readonly fix: string | undefined }) {
  return (
    <section className="mx-auto grid max-w-[520px] gap-3 px-6 py-16">
      <h1 className="text-xl font-semibold">You may not see this page</h1>
      <p className="text-ink-2">{message}</p>
      {fix && <p className="text-ink-3">{fix}</p>}
    </section>
  )
}
