import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Note } from '../../ui/note.tsx'
import { type Check, useGoLiveChecks } from './go-live-checks.ts'

/** What is left before real money: only what Malipo can see by itself. */
export function GoLiveTab() {
  const { checks, done, all } = useGoLiveChecks()
  return (
    <div className="grid items-start gap-4 wide:grid-cols-[8fr_4fr]">
      <Card about={`${done} of ${all}, computed now`} isFlush title="Before you go live">
        <ol>
          {checks.map((check) => (
            <li className="flex items-start gap-3 border-t border-line px-4 py-2.5" key={check.title}>
              <span className="min-w-0 flex-1">
                <b className="block font-medium">{check.title}</b>
                <span className="block text-xs text-ink-3">{check.about}</span>
              </span>
              <State check={check} />
            </li>
          ))}
        </ol>
      </Card>
      <Note>
        <p className="font-medium">What cannot be seen from here</p>
        <ul className="mt-1 grid list-disc gap-1 pl-4 text-ink-2">
          <li>Your server verifies the signature of every webhook, before it acts on it.</li>
          <li>Your server stores its reference before it sends a payment.</li>
          <li>A payment without a response is asked for by its reference, never made again under another.</li>
          <li>The API key is in no app, page or repository.</li>
        </ul>
      </Note>
    </div>
  )
}

function State({ check: { isDone } }: { readonly check: Check }) {
  if (isDone === undefined) return <Badge icon="ring" tone="run" word="Not known" />
  return isDone ? <Badge icon="done" tone="ok" word="Done" /> : <Badge icon="hourglass" tone="wait" word="To do" />
}
