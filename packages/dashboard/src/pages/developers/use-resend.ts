import { merchantApi } from '../../api/merchant-api.ts'
import { useAction } from '../../ui/use-action.ts'
import { useMay, usePlace } from '../use-place.ts'

/** Sends deliveries again, one after another: the same body with the same id, to the current URL of their endpoint. */
export function useResend() {
  const place = usePlace()
  const { run, isBusy, error } = useAction({
    run: async (ids: readonly string[]) => {
      for (const id of ids) await merchantApi(place)('postWebhooksIdResend', { path: { id } })
      return ids.length
    },
    done: (count) => (count === 1 ? 'Sent again' : `${count} deliveries are sent again`),
    changes: [
      ['deliveries', place],
      ['endpoints', place],
    ],
  })
  return { resend: run, isBusy, error, mayResend: useMay().has('webhooks:resend') }
}
