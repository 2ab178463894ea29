import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyText, copyText } from '../../ui/copy-text.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icons.tsx'
import { JsonBlock } from '../../ui/json-block.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { usePlace } from '../use-place.ts'
import { curlOf } from './curl.ts'
import type { LoggedRequest } from './developers-query.ts'
import { errorWordsQuery } from './error-words-query.ts'
import { HttpStatus } from './http-status.tsx'

interface RequestDetailProps {
  readonly request: LoggedRequest
  readonly onClose: () => void
}

/** One request: why it was refused, what to do, and its masked body. Malipo keeps no bodies of responses. */
export function RequestDetail({ request, onClose }: RequestDetailProps) {
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another request takes the focus again.
  useEffect(() => ref.current?.focus(), [request.requestId])
  const { method, path, status, body } = request
  return (
    <section
      aria-label="Request"
      className="grid min-w-0 gap-3.5 rounded-card border border-line p-4 outline-none max-wide:order-first"
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-2">
        <HttpStatus status={status} />
        <h2 className="min-w-0 flex-1 font-mono text-xs font-semibold break-all">
          {method} {path}
        </h2>
        {path.startsWith('/api/') && (
          <Button icon="copy" onClick={() => void copyText(curlOf(request, location.origin), 'cURL command')}>
            Copy as cURL
          </Button>
        )}
        <button aria-label="Close the request" className="p-1.5" onClick={onClose} type="button">
          <Icon name="close" />
        </button>
      </header>
      <Explanation request={request} />
      <Facts
        facts={[
          ['Time', <Time at={request.at} key="time" />],
          ['Took', `${request.durationMs.toLocaleString('en')} ms`],
          ['Request', <CopyText key="id" text={request.requestId} what="Request id" />],
          ['Key or person', <CopyText key="credential" text={request.credential} what="Sender" />],
          ['From address', request.address],
        ]}
      />
      {body !== undefined && <JsonBlock label="Request body, masked" value={body} />}
      {request.transactionId !== undefined && <PaymentLink transactionId={request.transactionId} />}
    </section>
  )
}

function Explanation({ request: { errorCode } }: { readonly request: LoggedRequest }) {
  const { data } = useQuery({ ...errorWordsQuery, enabled: errorCode !== undefined })
  const words = errorCode === undefined ? undefined : data?.[errorCode]
  if (!words) return null
  return (
    <Note>
      <p>{words.cause.replaceAll('`', '')}</p>
      <p className="text-ink-2">{words.fix.replaceAll('`', '')}</p>
      <p className="mt-1 font-mono text-xs text-ink-3">{errorCode}</p>
    </Note>
  )
}

function PaymentLink({ transactionId }: { readonly transactionId: string }) {
  return (
    <Link
      className="inline-flex h-8 items-center justify-center gap-1.5 rounded-sm border border-line-2 px-3 font-medium hover:bg-hover"
      params={usePlace()}
      search={{ open: transactionId }}
      to="/m/$merchantId/$env/payments"
    >
      <Icon name="payments" />
      Open the payment
    </Link>
  )
}
