import { catalogue } from '../../errors.ts'
import { type Html, html, prose, slug, table, wholePage } from './html.ts'
import { style } from './style.ts'

/** The page that the link of every error response leads to: `/docs/errors#CODE`. */
export function errorsPage(): string {
  return wholePage(
    'Malipo API errors',
    style,
    html`<main id="content" class="alone">
<p><a href="/docs">API reference</a></p>
<h1>Errors</h1>
<p class="lead">Every error code, with its cause and what to do. Retryable: the same request may succeed later.</p>
${errorsTable()}
</main>`,
  )
}

/** Each row is the target of its error code. */
export function errorsTable(): Html {
  const rows = Object.values(catalogue).map(({ errorCode, status, message, cause, fix, ...rest }) => {
    return html`<tr id="${slug(errorCode)}"><th scope="row"><code>${errorCode}</code>
<span class="note">${message}</span></th><td>${status}</td><td>${prose(cause)}</td><td>${prose(fix)}</td>
<td>${'retryable' in rest ? 'retryable' : ''}</td></tr>\n`
  })
  return table('errors', ['Error code', 'Status', 'Cause', 'What to do', 'Retry'], rows)
}
