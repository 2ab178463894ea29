import { CopyText } from '../../../ui/copy-text.tsx'
import { Time } from '../../../ui/time.tsx'
import { countText, nameText, providerText } from '../parts/words.ts'
import type { Payment } from './queries.ts'

/** What the provider was asked and what it said: attempts with their keys, and its callbacks. */
export function EvidenceTab({ payment: { attempts, callbacks, receipt } }: { readonly payment: Payment }) {
  return (
    <div className="grid gap-4">
      <section>
        <h3 className="mb-1 text-xs font-medium text-ink-2">Attempts</h3>
        {attempts.length === 0 && <p className="text-xs text-ink-3">It has not been sent to a provider.</p>}
        <ol>
          {attempts.map((attempt) => (
            <li className="grid gap-1 border-b border-line py-2 last:border-0" key={attempt.number}>
              <p>
                <b className="font-semibold">
                  {attempt.number}. {providerText(attempt.provider)}
                </b>
                , {nameText(attempt.outcome) || 'open'}
              </p>
              <p className="text-xs text-ink-3">
                Sent {timesText(attempt.sends)}, queried {timesText(attempt.polls)}
                {attempt.refusals > 0 && `, not accepted ${timesText(attempt.refusals)} in a row`}
                {attempt.sendDeadline !== undefined && (
                  <>
                    , last send ends by <Time at={attempt.sendDeadline} />
                  </>
                )}
              </p>
              <CopyText text={attempt.key} what="Provider key" />
            </li>
          ))}
        </ol>
      </section>
      {receipt !== undefined && (
        <section>
          <h3 className="mb-1 text-xs font-medium text-ink-2">Receipt of the provider</h3>
          <CopyText isWhole text={receipt} what="Receipt" />
        </section>
      )}
      {callbacks && <Callbacks callbacks={callbacks} />}
    </div>
  )
}

const timesText = (count: number) => (count === 1 ? 'once' : `${countText(count)} times`)

function Callbacks({ callbacks }: { readonly callbacks: NonNullable<Payment['callbacks']> }) {
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-ink-2">Callbacks of the provider</h3>
      {callbacks.length === 0 && <p className="text-xs text-ink-3">None came.</p>}
      <ul>
        {callbacks.map(({ id, receivedAt, outcome, meaning, reason }) => (
          <li className="grid gap-0.5 border-b border-line py-2 last:border-0" key={id}>
            <p>
              <Time at={receivedAt} className="text-ink-3" /> <b className="font-semibold">{nameText(outcome)}</b>
            </p>
            <p className="text-xs text-ink-3">
              {meaning}
              {reason !== undefined && `: ${reason}`}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
