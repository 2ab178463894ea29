import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { CallError } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icons.tsx'

const RefusedPage = lazy(async () => ({ default: (await import('./refused-page.tsx')).RefusedPage }))

/** What failed, that payments are not affected, a way to try again, and the id to report. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  const refusal = error instanceof CallError ? error : undefined
  if (refusal?.status === 403)
    return (
      <Suspense>
        <RefusedPage refusal={refusal} />
      </Suspense>
    )
  const again = () => {
    reset()
    void router.invalidate()
  }
  const what = refusal?.message ?? 'Something went wrong in the page itself.'
  const id = refusal?.requestId
  return (
    <section className="mx-auto grid max-w-[460px] justify-items-center gap-2 px-6 py-20 text-center" role="alert">
      <span className="grid size-9 place-items-center rounded-md bg-fail-soft text-fail">
        <Icon name="failed" size={18} />
      </span>
      <h1 className="mt-1 text-xl font-semibold">This page could not be loaded</h1>
      <p className="text-ink-2">{what}</p>
      <p className="text-ink-3">No payment is affected: they continue without the dashboard.</p>
      <div className="mt-2 flex gap-2">
        <Button look="primary" onClick={again}>
          Try again
        </Button>
        <Button
          icon="copy"
          onClick={() => void navigator.clipboard.writeText(`${what} ${id ? `Request ${id}` : String(error)}`)}
        >
          Copy details
        </Button>
      </div>
      {id !== undefined && <p className="text-xs text-ink-3">request {id}</p>}
    </section>
  )
}
