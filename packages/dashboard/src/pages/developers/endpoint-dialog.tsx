import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'
import type { Endpoint } from './developers-query.ts'

interface EndpointDialogProps {
  readonly isOpen: boolean
  /** Undefined: a new one. */
  readonly endpoint: Endpoint | undefined
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

export function EndpointDialog(props: EndpointDialogProps) {
  const title = props.endpoint ? 'Edit the endpoint' : 'Add an endpoint'
  return (
    <Dialog className="w-[520px] max-w-[calc(100vw-24px)]" isOpen={props.isOpen} onClose={props.onClose} title={title}>
      <EndpointForm {...props} />
    </Dialog>
  )
}

const eventNames = ['transaction_created', 'transaction_updated', 'adjustment_created'] as const

interface Fields {
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly isEnabled: boolean
}

function EndpointForm({ endpoint, onClose, onSecret }: EndpointDialogProps) {
  const [fields, setFields] = useState<Fields>(endpoint ?? { url: '', description: '', events: [], isEnabled: true })
  const save = useSave(endpoint, onClose, onSecret)
  const { env } = usePlace()
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change })
  const toggle = (name: string, isChosen: boolean) =>
    set({ events: isChosen ? [...fields.events, name] : fields.events.filter((each) => each !== name) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run({ ...fields, url: fields.url.trim() })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">{endpoint ? 'Edit the endpoint' : 'Add an endpoint'}</h2>
      <TextField
        hint={env === 'live' ? 'https only' : 'https, or http in the sandbox'}
        inputMode="url"
        label="URL"
        onChange={(event) => set({ url: event.target.value })}
        placeholder="https://api.example.com/hooks"
        problem={problemOf(save.error, 'url')}
        required
        value={fields.url}
      />
      {endpoint?.id !== 'default' && (
        <TextField
          hint="For yourself"
          label="Description"
          maxLength={200}
          onChange={(event) => set({ description: event.target.value })}
          value={fields.description}
        />
      )}
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-xs font-medium text-ink-2">Events; none chosen: all</legend>
        {eventNames.map((name) => (
          <CheckField
            isChecked={fields.events.includes(name)}
            key={name}
            label={name}
            onChange={(isChosen) => toggle(name, isChosen)}
          />
        ))}
      </fieldset>
      <CheckField
        isChecked={fields.isEnabled}
        label="Enabled. A disabled endpoint gets no events, and what waits for it ends."
        onChange={(isEnabled) => set({ isEnabled })}
      />
      <ActionProblem error={save.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button isBusy={save.isBusy} look="primary" type="submit">
          {endpoint ? 'Save the endpoint' : 'Add the endpoint'}
        </Button>
      </div>
    </form>
  )
}

function useSave(endpoint: Endpoint | undefined, onClose: () => void, onSecret: (secret: string) => void) {
  const place = usePlace()
  return useAction({
    run: async ({ url, description, events, isEnabled }: Fields) => {
      const body = { url, description, events: [...events], isEnabled }
      if (!endpoint) return (await merchantApi(place)('postWebhookEndpoints', { body })).data
      return (await merchantApi(place)('putWebhookEndpointsId', { path: { id: endpoint.id }, body })).data
    },
    done: () => (endpoint ? 'Endpoint saved' : 'Endpoint added'),
    changes: [
      ['endpoints', place],
      ['deliveries', place],
    ],
    onDone: ({ secret }) => {
      onClose()
      if (secret !== undefined) onSecret(secret)
    },
  })
}
