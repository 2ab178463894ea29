import { clientScript } from './client-script.ts'

// The rest of each page's script.

const signIn = `
if (!hasPasskeys()) show('passkey', false)
on('sign-in-passkey', async () => {
  const { challenge, options } = await post('/sign-in/passkey/options')
  await post('/sign-in/passkey', { challenge, response: await usePasskey(options) })
  location.assign(nextPath())
})
on('sign-in-password', async (fields) => {
  const rest = find('password-fields')
  if (rest.hidden) {
    rest.hidden = false
    fill('password-button', 'Sign in')
    return rest.querySelector('input').focus()
  }
  await post('/sign-in/password', fields)
  location.assign(nextPath())
})
const oidc = find('sign-in-oidc')
if (oidc) oidc.href += '?next=' + encodeURIComponent(nextPath())
if (new URLSearchParams(location.search).has('refused'))
  report(new Error('Sign-in failed. Your account at the identity provider is not known here: ask for an invitation.'))
`

const invitation = `
const kept = 'malipo.invitation'
const token = location.hash.slice(1) || sessionStorage.getItem(kept) || ''
history.replaceState(null, '', '/invitation')
sessionStorage.setItem(kept, token)
const finish = () => { sessionStorage.removeItem(kept); location.assign('/account') }
const confirmation = () => {
  const { value } = find('confirmation')
  if (!find('confirmation-field').hidden && value.trim() === '') throw new Error('Enter the confirmation code first.')
  return value
}
let setup
try {
  const { data } = await post('/invitations/show', { token: token || '-' })
  const me = await loadMe()
  fill('title', data.isRecovery ? 'Add a new way to sign in' : 'You are invited')
  fill('name', data.name)
  fill('email', data.email)
  if (data.isRecovery) fill('join-words', 'Create a passkey and continue')
  for (const fact of ['role', 'scope']) find(fact).parentElement.hidden = data.isRecovery
  fill('role', data.role.replace(/^./, (first) => first.toUpperCase()) + (data.merchant ? ' at ' + data.merchant : ', operator staff'))
  fill('scope', [...data.countries, ...data.currencies].join(', ') || 'All countries and currencies')
  show('found')
  show('confirmation-field', data.needsConfirmation)
  if (data.isForOidc) show('oidc')
  else if (!data.isKnownPerson) show('new-person')
  else if (me?.email.toLowerCase() === data.email.toLowerCase()) show('join')
  else show('known-person')
  if (!hasPasskeys()) show('passkey', false)
} catch (error) {
  sessionStorage.removeItem(kept)
  report(error)
}
on('join-passkey', async () => {
  const code = confirmation()
  const { challenge, options } = await post('/invitations/passkey/options', { token })
  const response = await makePasskey(options)
  await post('/invitations/passkey', { token, confirmation: code, challenge, name: passkeyName(), response })
  finish()
})
on('start-password', async () => {
  setup = await post('/invitations/totp', { token })
  showSetup(setup)
  show('choose', false)
  show('join-password')
})
on('join-password', async ({ password, code }) => {
  await post('/invitations/password', { token, confirmation: confirmation(), password, code, ticket: setup.ticket })
  finish()
})
on('join', async () => {
  await proved(() => post('/invitations/join', { token, confirmation: confirmation() }))
  sessionStorage.removeItem(kept)
  location.assign('/sign-in')
})
`

const device = `
const me = await loadMe()
if (!me) location.replace('/sign-in?next=/device')
fill('me', me ? me.name + ', ' + me.email : '')
if (!me?.hasPassword) show('step-up-password', false)
let userCode
on('code-form', async (fields) => {
  const { data } = await post('/device-codes/show', fields)
  userCode = fields.userCode
  fill('address', data.address)
  fill('program', data.userAgent || 'Unknown program')
  fill('time', new Date(data.createdAt).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }))
  show('code-form', false)
  show('decision')
})
const decide = async (word, words) => {
  await proved(() => post('/device-codes/' + word, { userCode }))
  show('decision', false)
  fill('result', words)
  show('result')
}
on('approve', () => decide('approve', 'Approved. Return to your terminal: it continues by itself.'))
on('deny', () => decide('deny', 'Denied. That terminal gets no access.'))
`

const account = `
const when = (time) => new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const make = (tag, className, words) => Object.assign(document.createElement(tag), { className, textContent: words ?? '' })

function entry(title, about, action, work) {
  const item = make('li', '')
  const words = make('div', 'push')
  words.append(make('div', '', title), make('div', 'small dim', about))
  item.append(words)
  if (action) {
    const button = make('button', 'plain danger', action)
    button.type = 'button'
    button.setAttribute('aria-label', action + ': ' + title)
    button.addEventListener('click', () => work().then(refresh, report))
    item.append(button)
  }
  return item
}

const strengths = { passkey: 'passkey', password_totp: 'password and code', oidc: 'identity provider' }
const browserIn = (agent) => [['Edg/', 'Edge'], ['Chrome/', 'Chrome'], ['Firefox/', 'Firefox'], ['Safari/', 'Safari'], ['malipo', 'Command line']]
  .find(([sign]) => agent.includes(sign))?.[1] ?? 'Browser'

async function refresh() {
  const me = await loadMe()
  if (!me) return location.replace('/sign-in')
  fill('me-name', me.name)
  fill('me-email', me.email)
  const roles = [
    ...me.operator.map(({ role }) => 'Operator: ' + role),
    ...me.merchants.map(({ role, name }) => name + ': ' + role),
  ]
  find('roles').replaceChildren(...(roles.length ? roles : ['no role']).map((role) => make('span', 'tag', role)))
  show('dashboard', roles.length > 0)
  const [passkeys, sessions] = await Promise.all([send('GET', '/passkeys'), send('GET', '/sessions')])
  find('ways').replaceChildren(
    ...passkeys.data.map(({ id, name, createdAt, lastUsedAt }) =>
      entry(name, 'Passkey, added ' + when(createdAt) + (lastUsedAt ? ', last used ' + when(lastUsedAt) : ''), 'Remove',
        () => proved(() => send('DELETE', '/passkeys/' + id)))),
    ...(me.hasPassword ? [entry('Password and authenticator app', 'Used together', 'Remove', () => proved(() => send('DELETE', '/password')))] : []),
  )
  find('sessions').replaceChildren(...sessions.data.map((each) =>
    entry((each.kind === 'cli' ? 'Command line' : browserIn(each.userAgent)) + (each.isThis ? ', this one' : ''),
      each.address + ', by ' + strengths[each.strength] + ', last used ' + when(each.lastSeenAt), each.isThis ? '' : 'End',
      () => send('DELETE', '/sessions/' + each.id))))
  show('step-up-password', me.hasPassword)
  show('add-passkey', hasPasskeys())
  show('content')
}
await refresh().catch(report)

on('add-passkey', async () => {
  const { challenge, options } = await proved(() => post('/passkeys/options'))
  const response = await makePasskey(options)
  await proved(() => post('/passkeys', { challenge, name: passkeyName(), response }))
  await refresh()
})
let setup
on('add-password', async () => {
  setup = await proved(() => post('/totp'))
  showSetup(setup)
  show('password-form')
})
on('password-form', async ({ password, code }) => {
  await proved(() => send('PUT', '/password', { password, code, ticket: setup.ticket }))
  show('password-form', false)
  await refresh()
})
on('sign-out', async () => {
  await post('/sign-out')
  location.assign('/sign-in')
})
`

export const scripts = {
  'sign-in': clientScript + signIn,
  invitation: clientScript + invitation,
  device: clientScript + device,
  account: clientScript + account,
} as const
