import type { Call, Reply } from '../dialect.ts'
import { isEnd, type Payment } from '../entries.ts'
import { act, approve } from '../life.ts'
import { failureOf } from '../outcomes.ts'
import type { Order } from './read.ts'

/** The operator's page, where the payer of a redirected deposit approves or declines. */
export function showPage(call: Call): Reply {
  const payment = findPayment(call)
  return payment ? html(200, page(payment)) : html(404, frame('Not found', '<p>This payment does not exist.</p>'))
}

export function submitPage(call: Call): Reply {
  const payment = findPayment(call)
  if (payment === undefined) return showPage(call)
  const action = new URLSearchParams(call.raw.toString('utf8')).get('action')
  if (action === 'approve') approve(call.core, payment)
  else if (action === 'decline')
    act(call.core, payment, { state: 'failed', failure: failureOf('PAYMENT_NOT_APPROVED') })
  else return html(400, frame('Invalid action', '<p>Approve or decline the payment.</p>'))
  const { successfulUrl, failedUrl } = payment.details['order'] as Order
  const next = payment.state === 'failed' ? failedUrl : successfulUrl
  return next === undefined ? html(200, page(payment)) : { status: 302, body: '', headers: { location: next } }
}

const findPayment = ({ core, parameters }: Call) => {
  const payment = core.books.find('pawapay', 'charge', parameters['id'] ?? '')
  return payment?.authorizationUrl === undefined ? undefined : payment
}

const html = (status: number, body: string): Reply => ({
  status,
  body,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
})

function page(payment: Payment): string {
  const amount = `${Number(payment.amount).toLocaleString('en')} ${payment.currency}`
  const details = `<dl><dt>Pay to</dt><dd>MALIPO</dd><dt>From</dt><dd>+${payment.account}</dd></dl>`
  const choice = `<form method="post"><button name="action" value="approve">Approve</button>
    <button name="action" value="decline" class="quiet">Decline</button></form>`
  const ended = `<p class="end">This payment is ${payment.state}. You may close this page.</p>`
  return frame(amount, details + (isEnd(payment.state) ? ended : choice))
}

/** Every value shown was checked to be digits, codes or our own text, so nothing needs escaping. */
const frame = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>
body{font:16px/1.5 system-ui,sans-serif;background:#eef3f8;color:#12263a;display:grid;place-items:center;min-height:100vh;margin:0}
main{background:#fff;border-radius:16px;padding:32px;width:min(360px,88vw);box-shadow:0 8px 32px #12263a1f}
h1{font-size:32px;margin:0 0 16px}dl{display:grid;grid-template-columns:auto 1fr;gap:8px 16px;margin:0 0 24px}
dt{color:#5b6f82}dd{margin:0;text-align:right}form{display:grid;gap:12px}
button{font:inherit;font-weight:600;padding:14px;border:0;border-radius:10px;background:#1778f2;color:#fff;cursor:pointer}
button.quiet{background:#e6ecf2;color:#12263a}button:focus-visible{outline:3px solid #12263a}
small{display:block;margin-top:24px;color:#5b6f82}
</style></head><body><main><h1>${title}</h1>${content}
<small>Simulator: no real money moves here.</small></main></body></html>
`
