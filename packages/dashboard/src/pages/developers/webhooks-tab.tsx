import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Note } from '../../ui/note.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { useMay, usePlace } from '../use-place.ts'
import { DefaultUrl } from './default-url.tsx'
import { Deliveries } from './deliveries.tsx'
import { deliveriesQuery, type Endpoint, endpointsQuery } from './developers-query.ts'
import { EndpointCard } from './endpoint-card.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'

/** What is being edited: a new endpoint, or one of the list. */
type Edited = { readonly endpoint: Endpoint | undefined }

/** Where events go, how that fares, and every delivery. */
export function WebhooksTab() {
  const place = usePlace()
  const may = useMay()
  const { data: endpoints, error } = useQuery(endpointsQuery(place))
  const { data: deliveries = [] } = useQuery(deliveriesQuery(place))
  const [edited, setEdited] = useState<Edited>()
  const [secret, setSecret] = useState<string>()
  const mayChange = may.has('developers:write')
  const add = mayChange && (
    <Button icon="plus" onClick={() => setEdited({ endpoint: undefined })}>
      Add an endpoint
    </Button>
  )
  return (
    <div className="grid gap-4">
      {error && <Note look="fail">{error.message}</Note>}
      {endpoints && endpoints.length > 0 && <div className="flex justify-end">{add}</div>}
      {endpoints?.length === 0 && (
        <div className="rounded-card border border-line">
          <Empty action={add} title="No endpoint gets your events">
            Add the URL of your server. It gets every change of a payment, signed, with retries for three days. In the
            sandbox, npm run malipo -- listen prints the events without one.
          </Empty>
        </div>
      )}
      {endpoints?.map((endpoint) => (
        <EndpointCard
          deliveries={deliveries.filter(({ endpointId }) => endpointId === endpoint.id)}
          endpoint={endpoint}
          key={endpoint.id}
          mayChange={mayChange}
          onEdit={() => setEdited({ endpoint })}
          onSecret={setSecret}
        />
      ))}
      <Deliveries deliveries={deliveries} />
      {mayChange && endpoints && !endpoints.some(({ id }) => id === 'default') && <DefaultUrl />}
      <EndpointDialog
        endpoint={edited?.endpoint}
        isOpen={edited !== undefined}
        onClose={() => setEdited(undefined)}
        onSecret={setSecret}
      />
      <SecretOnce
        about="Your server checks the header webhook-signature with it. After a rotation both secrets sign for 24 hours."
        onClose={() => setSecret(undefined)}
        title="Signing secret"
        values={secret === undefined ? undefined : [{ label: 'Signing secret', text: secret }]}
      />
    </div>
  )
}
