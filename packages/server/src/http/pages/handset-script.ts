/**
 * The script of `/handset`. The chosen number is in the fragment of the address, which browsers do not send, and in no storage. The PIN
 * is only counted: no request has it.
 */
export const handsetScript = `
const find = (name) => document.querySelector('[data-' + name + ']')
const views = [...document.querySelectorAll('[data-view]')]
const pollMs = 1000
let phone = ''
let shown
let entered = 0
let endsAt
let isBusy = false

const view = (name) => { for (const each of views) each.hidden = each.dataset.view !== name }
const current = () => views.find((each) => !each.hidden)
const fill = (name, text) => { find(name).textContent = text }

function complain(text = '') {
  const note = current().querySelector('[data-problem]')
  if (!note) return fill('result', text)
  note.textContent = text
  note.hidden = text === ''
}

async function post(path, body) {
  const response = await fetch('/handset/v1' + path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  })
  const result = await response.json().catch(() => ({}))
  if (response.ok) return result.data
  throw Object.assign(new Error([result.message ?? 'Malipo did not respond.', result.fix].filter(Boolean).join(' ')), { status: response.status })
}

function showPrompt(prompt) {
  endsAt = prompt.secondsLeft === null ? undefined : Date.now() + prompt.secondsLeft * 1000
  if (shown?.key === prompt.key) return
  shown = prompt
  entered = 0
  const [whole, rest] = prompt.amount.split('.')
  fill('operator', prompt.operator)
  fill('amount', prompt.currency + ' ' + whole.replace(/\\B(?=(\\d{3})+$)/g, ',') + (rest === undefined ? '' : '.' + rest))
  fill('merchant', prompt.merchant)
  fill('reference', prompt.reference)
  view('prompt')
  complain()
  draw()
  document.getElementById('prompt-title').focus()
  navigator.vibrate?.(120)
}

function draw() {
  const dots = find('dots')
  dots.replaceChildren(...Array.from({ length: 4 }, (_, index) => {
    const dot = document.createElement('span')
    dot.className = index < entered ? 'full' : ''
    return dot
  }))
  dots.setAttribute('aria-label', entered + ' of 4 digits entered')
  find('pay').disabled = entered < 4
}

function backToIdle(result) {
  shown = undefined
  view('idle')
  fill('result', result)
}

async function poll() {
  if (phone === '' || isBusy) return
  const asked = phone
  try {
    const prompts = await post('/prompts', { phoneNumber: asked })
    if (asked !== phone || isBusy) return
    fill('waiting', 'Waiting for a charge to this phone')
    const known = shown && prompts.find(({ key }) => key === shown.key)
    if (shown && !known) backToIdle('The prompt timed out, or the charge was ended elsewhere.')
    const next = known ?? prompts[0]
    if (next) showPrompt(next)
  } catch (error) {
    if (error.status === 400) return leave(error.message)
    fill('waiting', 'Not connected. Trying again.')
  }
}

function leave(problem = '') {
  phone = ''
  shown = undefined
  history.replaceState(null, '', '/handset')
  fill('number', '')
  view('choose')
  complain(problem.replace('Validation error: phoneNumber is', 'This is'))
}

function open(number) {
  phone = number.trim()
  if (phone === '') return leave()
  history.replaceState(null, '', '/handset#' + phone)
  fill('number', phone)
  backToIdle('')
  void poll()
}

async function answer(how) {
  if (!shown || isBusy) return
  isBusy = true
  current().setAttribute('aria-busy', 'true')
  const { key, merchant } = shown
  try {
    await post('/answer', { phoneNumber: phone, key, answer: how })
    backToIdle(how === 'approve' ? 'You paid ' + find('amount').textContent + ' to ' + merchant + '.' : 'You declined the payment to ' + merchant + '.')
  } catch (error) {
    if (error.status === 404) backToIdle('The prompt timed out, or the charge was ended elsewhere.')
    else complain(error.message)
  } finally {
    isBusy = false
    for (const each of views) each.removeAttribute('aria-busy')
  }
}

function press(digit) {
  if (!shown || entered >= 4) return
  entered += 1
  draw()
}
function erase() {
  entered = Math.max(0, entered - 1)
  draw()
}

find('view="choose"').addEventListener('submit', (event) => {
  event.preventDefault()
  open(new FormData(event.target).get('number'))
})
find('change').addEventListener('click', () => leave())
for (const key of document.querySelectorAll('[data-digit]')) key.addEventListener('click', () => press(key.dataset.digit))
find('erase').addEventListener('click', erase)
find('pay').addEventListener('click', () => answer('approve'))
find('decline').addEventListener('click', () => answer('decline'))
document.addEventListener('keydown', ({ key, target }) => {
  if (!shown || target.tagName === 'INPUT') return
  if (/^[0-9]$/.test(key)) press(key)
  if (key === 'Backspace') erase()
})

function tick() {
  const now = new Date()
  fill('clock', now.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }))
  fill('date', now.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }))
  fill('left', endsAt === undefined ? 'Enter your PIN to pay.' : 'Enter your PIN within ' + Math.max(0, Math.ceil((endsAt - Date.now()) / 1000)) + ' s.')
}
setInterval(tick, 1000)
setInterval(poll, pollMs)
addEventListener('hashchange', () => open(decodeURIComponent(location.hash.slice(1))))
tick()
open(decodeURIComponent(location.hash.slice(1)))
`
