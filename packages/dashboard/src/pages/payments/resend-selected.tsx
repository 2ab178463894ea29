import { useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Note } from '../../ui/note.tsx'
import { useAction } from '../../ui/use-action.ts'
import { latestRecords } from '../payment/webhook-records.ts'

interface ResendSelectedProps {
  readonly place: Place
  readonly ids: readonly string[]
  readonly onClose: () => void
}

interface Progress {
  readonly done: number
  readonly sent: number
  /** Payments without a webhook. */
  readonly without: number
  readonly problems: readonly string[]
}

const nothing: Progress = { done: 0, sent: 0, without: 0, problems: [] }

/** Sends the newest webhook of each selected payment again, one after another. */
export function ResendSelected({ place, ids, onClose }: ResendSelectedProps) {
  const [progress, setProgress] = useState<Progress>()
  const isDone = progress?.done === ids.length
  const action = useAction({
    run: async () => {
      let current = nothing
      setProgress(current)
      for (const id of ids) {
        current = await resendOf(place, id, current)
        setProgress(current)
      }
    },
    done: () => undefined,
  })
  const payments = `${ids.length} ${ids.length === 1 ? 'payment' : 'payments'}`
  return (
    <Dialog className="w-[460px] max-w-[calc(100vw-24px)]" isOpen onClose={onClose} title="Resend webhooks">
      <div className="grid gap-4 p-5">
        <h2 className="text-lg font-semibold">Resend the webhooks of {payments}</h2>
        <p className="text-ink-2">
          Each endpoint gets the newest webhook of each payment again, with the same id and the same body. A receiver
          that keeps the ids ignores what it has processed.
        </p>
        {progress && (
          <Note look={isDone && progress.problems.length === 0 ? 'ok' : 'plain'}>
            <p aria-live="polite">
              {progress.done} of {payments}: {progress.sent} webhooks sent again
              {progress.without > 0 && `, ${progress.without} payments without a webhook`}.
            </p>
          </Note>
        )}
        {progress?.problems.slice(0, 5).map((problem) => (
          <Note key={problem} look="fail">
            {problem}
          </Note>
        ))}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {isDone ? 'Close' : 'Cancel'}
          </Button>
          {!isDone && (
            <Button icon="resend" isBusy={action.isBusy} look="primary" onClick={() => action.run(undefined)}>
              Resend the webhooks
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

async function resendOf(place: Place, id: string, before: Progress): Promise<Progress> {
  const api = merchantApi(place)
  const next = { ...before, done: before.done + 1 }
  try {
    const { data } = await api('getWebhooks', { query: { reference: id } })
    const records = latestRecords(data)
    for (const record of records) await api('postWebhooksIdResend', { path: { id: record.id } })
    return { ...next, sent: next.sent + records.length, without: next.without + (records.length === 0 ? 1 : 0) }
  } catch (error) {
    return { ...next, problems: [...next.problems, `${id}: ${error instanceof Error ? error.message : error}`] }
  }
}
