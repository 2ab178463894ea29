import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.tsx'
import { JsonCode } from './json-code.tsx'
import type { OnePayment } from './payment-queries.ts'

/** The payment as the API returns it to this person. */
export function RawTab({ payment }: { readonly payment: OnePayment }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-4">
      <div className="flex items-center justify-between">
        <span className="text-xs text-ink-3">
          As <code>GET /transactions/{'{id}'}</code> returns it
        </span>
        <Button icon="copy" onClick={() => void copyText(JSON.stringify(payment, null, 2), 'JSON')}>
          Copy
        </Button>
      </div>
      <JsonCode label="The payment as JSON" value={payment} />
    </div>
  )
}
