import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/button.tsx'
import { CopyText, copyText } from '../../ui/copy-text.tsx'
import { Detail } from '../../ui/detail.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonBlock } from '../../ui/json-block.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { curlOf } from './curl.ts'
import type { LoggedRequest } from './developers-query.ts'
import { errorWordsQuery } from './error-words-query.ts'
import { HttpStatus } from './http-status.tsx'
import { PaymentLink } from './payment-link.tsx'

interface RequestDetailProps {
  readonly request: LoggedRequest
  readonly onClose: () => void
}

/** One request: why it was refused, what to do, and its masked body. Malipo keeps no bodies of responses. */
export function RequestDetail({ request, onClose }: RequestDetailProps) {
  const { method, path, status, body } = request
  return (
    <Detail
      of="request"
      id={request.requestId}
      title={
        <>
          <HttpStatus status={status} />
          <h2 className="min-w-0 flex-1 font-mono text-xs font-semibold break-all">
            {method} {path}
          </h2>
        </>
      }
      actions={
        path.startsWith('/api/') && (
          <Button icon="copy" onClick={() => void copyText(curlOf(request, location.origin), 'cURL command')}>
            Copy as cURL
          </Button>
        )
      }
      onClose={onClose}
    >
      <Explanation request={request} />
      <Facts
        facts={[
          ['Time', <Time at={request.at} key="time" />],
          ['Took', `${request.durationMs.toLocaleString('en')} ms`],
          ['Request', <CopyText key="id" text={request.requestId} what="Request id" />],
          ['Key or person', <CopyText key="credential" text={request.credential} what="Sender" />],
          ...(request.address === '' ? [] : [['From address', request.address] as const]),
        ]}
      />
      {body !== undefined && <JsonBlock label="Request body, masked" value={body} />}
      {request.transactionId !== undefined && <PaymentLink transactionId={request.transactionId} />}
    </Detail>
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
