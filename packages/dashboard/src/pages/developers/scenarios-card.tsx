import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { scenarios } from '../../generated/sandbox.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Time } from '../../ui/time.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'
import { armedQuery } from './developers-query.ts'

interface CardProps {
  readonly mayChange: boolean
}

/** Faults between the systems, by a header of the request or beforehand for a reference. */
export function ScenariosCard({ mayChange }: CardProps) {
  return (
    <Card about="break what is between the systems, for one payment" isFlush title="Scenarios">
      <DataTable
        columns={[
          {
            head: 'Scenario',
            cell: ({ name }) => <CopyText isWhole text={name} what="Scenario" />,
          },
          {
            head: 'What happens',
            className: 'min-w-[220px]',
            cell: ({ what }) => <span className="text-xs text-ink-2">{what.replaceAll('`', '')}</span>,
          },
        ]}
        keyOf={({ name }) => name}
        label="Table of scenarios"
        rows={scenarios}
      />
      <p className="border-t border-line px-4 py-2.5 text-xs text-ink-3">
        Send it as the header X-Sandbox-Scenario of a charge or payout{mayChange && ', or set it beforehand:'}
      </p>
      {mayChange && <ArmForm />}
      <ArmedList mayChange={mayChange} />
    </Card>
  )
}

function ArmForm() {
  const place = usePlace()
  const [reference, setReference] = useState('')
  const [scenario, setScenario] = useState(scenarios[0]?.name ?? '')
  const arm = useAction({
    run: (order: { readonly reference: string; readonly scenario: string }) =>
      merchantApi(place)('putUtilitiesScenariosExternalReference', {
        path: { externalReference: order.reference },
        body: { scenario: order.scenario as never },
      }),
    done: (_, order) => `${order.scenario} waits for the payment ${order.reference}`,
    changes: [['armed', place]],
    onDone: () => setReference(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    arm.run({ reference: reference.trim(), scenario })
  }
  return (
    <form className="grid gap-3 px-4 pb-3" onSubmit={submit}>
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          className="min-w-[160px] flex-1"
          label="Reference of a payment to come"
          maxLength={100}
          onChange={(event) => setReference(event.target.value)}
          placeholder="order-71"
          problem={problemOf(arm.error, 'externalReference')}
          required
          value={reference}
        />
        <SelectField
          label="Scenario"
          onChange={(event) => setScenario(event.target.value)}
          options={scenarios.map(({ name }) => ({ value: name, word: name }))}
          value={scenario}
        />
        <Button className="h-9" isBusy={arm.isBusy} type="submit">
          Set for this reference
        </Button>
      </div>
      <ActionProblem error={arm.error} />
    </form>
  )
}

function ArmedList({ mayChange }: CardProps) {
  const place = usePlace()
  const { data = [] } = useQuery(armedQuery(place))
  const disarm = useAction({
    run: (externalReference: string) =>
      merchantApi(place)('deleteUtilitiesScenariosExternalReference', { path: { externalReference } }),
    done: () => 'Scenario removed',
    changes: [['armed', place]],
  })
  if (data.length === 0) return null
  return (
    <ul className="border-t border-line">
      {data.map(({ externalReference, scenario, setAt }) => (
        <li className="flex items-center gap-3 px-4 py-1.5" key={externalReference}>
          <span className="min-w-0 flex-1 text-xs">
            <code className="font-mono">{scenario}</code> waits for{' '}
            <code className="font-mono">{externalReference}</code>, set{' '}
            <Time at={setAt} className="text-ink-3" isRelative />
          </span>
          {mayChange && (
            <Button
              aria-label={`Remove the scenario of ${externalReference}`}
              look="quiet"
              onClick={() => disarm.run(externalReference)}
            >
              Remove
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
