import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { CopyText, copyText } from '../../ui/copy-text.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { Code } from './json-code.tsx'
import { NeedsPermission } from './needs-permission.tsx'
import { type LoggedRequest, requestsQuery } from './payment-queries.ts'
import { curlOf, typeScriptOf } from './request-code.ts'

const languages = { curl: { word: 'cURL', of: curlOf }, typescript: { word: 'TypeScript', of: typeScriptOf } } as const
type Language = keyof typeof languages

interface ApiTabProps {
  readonly place: Place
  readonly transactionId: string
  readonly may: ReadonlySet<string>
}

/** The requests about the payment, as the request log has them: masked, and without keys. */
export function ApiTab({ place, transactionId, may }: ApiTabProps) {
  const isAllowed = may.has('webhooks:read')
  const [language, setLanguage] = useState<Language>('curl')
  const { data, error } = useQuery(requestsQuery(place, transactionId, isAllowed))
  if (!isAllowed) return <NeedsPermission permission="webhooks:read" what="the requests about a payment" />
  if (error) return <Note look="fail">{error.message}</Note>
  if (!data) return <div aria-busy="true" className="skeleton delayed mt-4 h-40" />
  if (data.length === 0)
    return (
      <p className="pt-6 text-ink-3">The request log has no request about this payment. It keeps at least 7 days.</p>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <fieldset className="inline-flex w-fit gap-0.5 rounded-sm bg-surface-3 p-0.5">
        <legend className="sr-only">Language of the copies</legend>
        {Object.entries(languages).map(([name, { word }]) => (
          <button
            aria-pressed={name === language}
            className={`h-[26px] rounded-[5px] px-2.5 text-xs font-medium ${name === language ? 'bg-raised ring-1 ring-line' : 'text-ink-2'}`}
            key={name}
            onClick={() => setLanguage(name as Language)}
            type="button"
          >
            {word}
          </button>
        ))}
      </fieldset>
      {[...data].reverse().map((request) => (
        <Request
          code={languages[language].of(request, transactionId)}
          key={`${request.requestId} ${request.at}`}
          request={request}
        />
      ))}
    </div>
  )
}

function Request({ request, code }: { readonly request: LoggedRequest; readonly code: string }) {
  const { method, path, status, durationMs, requestId, errorCode, credential, at, body } = request
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-2 border-b border-line pb-4 last:border-0">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <b className={`font-mono text-xs ${status < 400 ? 'text-ok' : 'text-fail'}`}>{status}</b>
        <b className="font-semibold break-all">
          {method} {path}
        </b>
        <span className="flex-1" />
        <Button icon="copy" onClick={() => void copyText(code, 'Request')}>
          Copy
        </Button>
      </header>
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
        <Time at={at} /> · {durationMs} ms · <CopyText text={requestId} what="Request id" />
        {errorCode !== undefined && <span className="font-mono text-fail">{errorCode}</span>}
      </p>
      <Code label={`${method} ${path}`}>{code}</Code>
      <p className="text-xs text-ink-3">
        Sent with <span className="font-mono break-all">{credential}</span>
        {body !== undefined && '. The body is masked as in the request log; put the real values in before you send it'}.
      </p>
    </article>
  )
}
