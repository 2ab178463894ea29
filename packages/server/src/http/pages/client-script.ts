/**
 * What every page's script starts with: calls to people's API, passkeys, forms and the step-up dialog. It runs in the browser as it
 * is; the content security policy names the hash of each page's whole script.
 */
export const clientScript = `
const find = (name) => document.querySelector('[data-' + name + ']')
const show = (name, isShown = true) => { const part = find(name); if (part) part.hidden = !isShown }
const fill = (name, text) => { for (const part of document.querySelectorAll('[data-' + name + ']')) part.textContent = text }

const look = document.documentElement.dataset
const keptTheme = localStorage.getItem('malipo.theme')
if (keptTheme) look.theme = keptTheme === 'dark' ? 'dark' : 'light'
find('theme-switch')?.addEventListener('click', () => {
  const isDark = look.theme ? look.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  look.theme = isDark ? 'light' : 'dark'
  localStorage.setItem('malipo.theme', look.theme)
})

let csrf
async function send(method, path, body) {
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(csrf && { 'x-malipo-csrf': csrf }) }
  const response = await fetch('/people/v1' + path, { method, headers, body: body && JSON.stringify(body) })
  const result = await response.json().catch(() => ({}))
  if (response.ok) return result
  throw Object.assign(new Error(wordsFor(response, result)), { code: result.errorCode, status: response.status })
}
const post = (path, body) => send('POST', path, body)

function wordsFor(response, { message, fix, errorCode }) {
  if (errorCode === 'RATE_LIMIT_EXCEEDED')
    return message + ' Try again in ' + (response.headers.get('retry-after') ?? 1) + ' s.'
  if (errorCode === 'VALIDATION_ERROR') return message.replace('Validation error: ', '').replace(/^./, (first) => first.toUpperCase()) + '.'
  return [message ?? 'Malipo did not respond.', fix].filter(Boolean).join(' ')
}

async function loadMe() {
  try {
    const { data } = await send('GET', '/me')
    csrf = data.csrf
    return data
  } catch (error) {
    if (error.status === 401) return undefined
    throw error
  }
}

const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const credential = (made, response) => ({
  id: made.id, rawId: text(made.rawId), type: made.type, clientExtensionResults: {}, response,
})

async function makePasskey(options) {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map((each) => ({ ...each, id: bytes(each.id) })),
  }
  const made = await navigator.credentials.create({ publicKey })
  return credential(made, {
    clientDataJSON: text(made.response.clientDataJSON),
    attestationObject: text(made.response.attestationObject),
    transports: made.response.getTransports?.() ?? [],
  })
}

async function usePasskey(options) {
  const made = await navigator.credentials.get({ publicKey: { ...options, challenge: bytes(options.challenge) } })
  const { clientDataJSON, authenticatorData, signature, userHandle } = made.response
  return credential(made, {
    clientDataJSON: text(clientDataJSON),
    authenticatorData: text(authenticatorData),
    signature: text(signature),
    ...(userHandle && { userHandle: text(userHandle) }),
  })
}

const hasPasskeys = () => 'PublicKeyCredential' in window && !/^[0-9.]+$|:/.test(location.hostname)

const passkeyName = () => {
  const agent = navigator.userAgent
  const device = [['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Android', 'Android'], ['Mac', 'Mac'], ['Windows', 'Windows'], ['Linux', 'Linux']]
  return (device.find(([sign]) => agent.includes(sign))?.[1] ?? 'Passkey') + ', ' + new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
}

function showSetup({ secret, uri, qr }) {
  fill('secret', secret.match(/.{4}/g).join(' '))
  find('uri').href = uri
  const code = find('qr')
  code.toggleAttribute('hidden', !qr)
  if (!qr) return
  code.setAttribute('viewBox', [-4, -4, qr.size + 8, qr.size + 8].join(' '))
  code.firstElementChild.setAttribute('d', qr.path)
}

function report(error, within = document) {
  const note = within.querySelector('[data-problem]')
  note.textContent = error.name === 'NotAllowedError' || error.name === 'AbortError'
    ? 'The device did not confirm. Try again, or use another way.'
    : error.name === 'InvalidStateError' ? 'This device has a passkey for this account already.' : error.message.replaceAll('\\x60', '')
  note.hidden = false
}

/** Runs the work of a button or form once at a time and reports what fails. */
function on(name, work) {
  const part = find(name)
  if (!part) return
  const isForm = part.tagName === 'FORM'
  const button = isForm ? part.querySelector('button:not([type=button])') : part
  part.addEventListener(isForm ? 'submit' : 'click', async (event) => {
    event.preventDefault()
    if (button.getAttribute('aria-busy') === 'true') return
    const within = part.closest('dialog') ?? document
    within.querySelector('[data-problem]').hidden = true
    button.setAttribute('aria-busy', 'true')
    try {
      await work(isForm ? Object.fromEntries(new FormData(part)) : undefined)
    } catch (error) {
      report(error, within)
    } finally {
      button.removeAttribute('aria-busy')
    }
  })
}

/** Where to continue after signing in: a path of this site, or the account. */
function nextPath() {
  const next = new URLSearchParams(location.search).get('next') ?? ''
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined
  return next.startsWith('/') && url?.origin === location.origin ? url.href : '/account'
}

/** Repeats a request after the person has proved presence, if the server wants that. */
async function proved(work) {
  try {
    return await work()
  } catch (error) {
    if (error.code !== 'STEP_UP_REQUIRED') throw error
    await stepUp()
    return work()
  }
}

function stepUp() {
  const dialog = find('step-up')
  const done = Promise.withResolvers()
  stepUp.finish = async () => { await loadMe(); dialog.close('done') }
  dialog.addEventListener('close', () =>
    dialog.returnValue === 'done' ? done.resolve() : done.reject(new Error('Nothing was changed: presence was not confirmed.')), { once: true })
  dialog.returnValue = ''
  dialog.showModal()
  return done.promise
}
on('step-up-passkey', async () => {
  const { challenge, options } = await post('/step-up/passkey/options')
  await post('/step-up/passkey', { challenge, response: await usePasskey(options) })
  await stepUp.finish()
})
on('step-up-password', async (fields) => {
  await post('/step-up/password', fields)
  await stepUp.finish()
})
on('step-up-cancel', async () => find('step-up').close(''))
`
