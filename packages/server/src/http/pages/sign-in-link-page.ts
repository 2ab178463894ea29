import { html } from '../reference/html.ts'
import { clientScript } from './client-script.ts'
import { peoplePage, problem, splitPage } from './page.ts'

/** The code leaves the address bar and the history before it is sent. Another link in the same tab changes only the text after `#`. */
const script = `${clientScript}
const code = location.hash.slice(1)
history.replaceState(null, '', '/sign-in/link')
addEventListener('hashchange', () => location.reload())
try {
  await post('/sign-in/link', { code: code || '-' })
  location.replace('/dashboard#sandbox')
} catch (error) {
  show('waiting', false)
  report(error.code === 'SIGN_IN_FAILED'
    ? new Error('This link was used before, or it is older than 15 minutes. Run npm run dev -- --links for new ones.')
    : error)
}
`

/** `/sign-in/link`, on a development stack only. */
export const signInLinkPage = (host: string, style: string) => ({
  style,
  script,
  text: peoplePage({
    title: 'Sign in',
    page: 'sign-in-link',
    style,
    script,
    body: splitPage(
      host,
      html`<div class="stack"><h1>Sign in</h1><p class="dim" data-waiting>One moment.</p></div>
<noscript><p class="note">Signing in needs JavaScript in this browser.</p></noscript>${problem}`,
    ),
  }),
})
