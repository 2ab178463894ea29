import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { copyText } from '../../ui/copy-text.tsx'
import { LinkButton } from '../../ui/link-button.tsx'

const commands = `# one charge of KES 100.00 that succeeds in 2 seconds
malipo trigger charge.successful

# or with your key pair
curl "$MALIPO_URL/api/b2b/fiat/deposit/momo" \\
  -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"amount":100,"currency":"KES",
       "phoneNumber":"+254703456789","externalReference":"order-1"}'`

/** Before the first payment: how to make it. */
export function EmptyHome({ place: { merchantId, env } }: { readonly place: Place }) {
  return (
    <Card className="grid grid-cols-[minmax(0,1fr)] justify-items-center px-4 py-14 text-center">
      <Drawing />
      <h2 className="mt-4 text-lg font-semibold">No payments yet</h2>
      <p className="mt-1 max-w-[320px] text-ink-3">
        {env === 'sandbox'
          ? 'Make your first sandbox charge. It appears here as soon as it is accepted.'
          : 'The first live payment appears here as soon as your server makes it with a live key pair.'}
      </p>
      {env === 'live' && (
        <div className="mt-4">
          <LinkButton to={`/m/${merchantId}/sandbox`}>Open the sandbox</LinkButton>
        </div>
      )}
      {env === 'sandbox' && (
        <div className="mt-5 w-full max-w-[540px]">
          <pre
            className="overflow-x-auto rounded-md border border-line bg-surface-2 p-3 text-left font-mono text-xs leading-5"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls sideways is reached by keyboard.
            tabIndex={0}
          >
            {commands}
          </pre>
          <Button className="mt-3" icon="copy" onClick={() => void copyText(commands, 'Commands')}>
            Copy
          </Button>
        </div>
      )}
    </Card>
  )
}

/** A T-account whose sum is not written yet. */
function Drawing() {
  return (
    <svg aria-hidden="true" fill="none" height="62" viewBox="0 0 116 62" width="116">
      <path d="M0 1h116M58 1v60" stroke="var(--line-2)" strokeWidth="2" />
      <path d="M10 17h36M70 17h36" stroke="var(--surface-3)" strokeWidth="8" />
      <path d="M10 33h36M70 33h36" stroke="var(--ok-line)" strokeWidth="8" />
      <path d="M70 48h36M70 52h36" stroke="var(--brand)" strokeWidth="1.5" />
    </svg>
  )
}
