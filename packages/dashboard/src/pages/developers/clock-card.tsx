import { useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'

const steps = [
  { word: '+5 min', seconds: 300 },
  { word: '+1 h', seconds: 3600 },
  { word: '+72 h', seconds: 259_200 },
] as const

/** Brings forward what the merchant's sandbox payments and webhooks wait for. No clock is changed. */
export function ClockCard({ mayChange }: { readonly mayChange: boolean }) {
  const place = usePlace()
  const [result, setResult] = useState<string>()
  const advance = useAction({
    run: async (seconds: number) => (await merchantApi(place)('postUtilitiesClockAdvance', { body: { seconds } })).data,
    done: () => undefined,
    changes: [
      ['payments', place],
      ['payment', place],
      ['deliveries', place],
      ['approvals', place],
    ],
    onDone: ({ payments, webhooks, seconds }) =>
      setResult(
        `Advanced by ${seconds.toLocaleString('en')} s: ${payments} open payments and ${webhooks} waiting webhooks were brought forward.`,
      ),
  })
  const actions = mayChange && (
    <span className="flex gap-1.5">
      {steps.map(({ word, seconds }) => (
        <Button isBusy={advance.isBusy} key={word} onClick={() => advance.run(seconds)}>
          {word}
        </Button>
      ))}
    </span>
  )
  return (
    <Card about="timers of your sandbox payments only" actions={actions} title="Sandbox clock">
      <p aria-live="polite" className="text-ink-2">
        {result ??
          'Charges expire, providers are asked and webhooks are retried that much sooner. Recorded times do not change.'}
      </p>
      {!mayChange && <p className="text-xs text-ink-3">Advancing it needs the permission developers:write.</p>}
      <ActionProblem error={advance.error} />
    </Card>
  )
}
