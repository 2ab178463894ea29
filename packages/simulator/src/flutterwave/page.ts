import type { Call, Reply } from '../dialect.ts'
import { isEnd, type Payment } from '../entries.ts'
import { act, conclude } from '../life.ts'
import { decimalsOf } from '../money.ts'
import { issuerFailure } from './cards.ts'
import { chargeDetails, presentCharge } from './present.ts'

/** The issuer's page, where the cardholder approves or declines. */
export function showPage(call: Call): Reply {
  const payment = findPayment(call)
  return payment ? html(200, page(payment)) : html(404, frame('Not found', '<p>This payment does not exist.</p>'))
}

export async function submitPage(call: Call): Promise<Reply> {
  const payment = findPayment(call)
  if (payment === undefined) return showPage(call)
  const action = new URLSearchParams(call.raw.toString('utf8')).get('action')
  if (action !== 'approve' && action !== 'decline')
    return html(400, frame('Invalid action', '<p>Approve or decline the payment.</p>'))
  if (!isEnd(payment.state)) await decide(call, payment, action)
  const { redirectUrl } = chargeDetails(payment)
  return redirectUrl === undefined ? html(200, page(payment)) : sendBack(payment, redirectUrl)
}

async function decide({ core }: Call, payment: Payment, action: 'approve' | 'decline'): Promise<void> {
  if (action === 'approve') await conclude(core, payment)
  else act(core, payment, { state: 'failed', failure: issuerFailure('Declined') })
}

/** The browser reports the result to the merchant. A merchant must not trust it. */
function sendBack(payment: Payment, redirectUrl: string): Reply {
  const { id, status, tx_ref } = presentCharge(payment)
  const url = new URL(redirectUrl)
  for (const [name, value] of Object.entries({ status, tx_ref, transaction_id: id }))
    url.searchParams.set(name, String(value))
  return { status: 303, body: '', headers: { location: url.href } }
}

const findPayment = ({ core, parameters }: Call): Payment | undefined => {
  const payment = core.books.findNamed('flutterwave', parameters['ref'] ?? '')
  return payment && chargeDetails(payment).pageUrl !== undefined ? payment : undefined
}

const html = (status: number, body: string): Reply => ({
  status,
  body,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
})

function page(payment: Payment): string {
  const minimumFractionDigits = decimalsOf(payment.amount) === 0 ? 0 : 2
  const amount = `${Number(payment.amount).toLocaleString('en', { minimumFractionDigits })} ${payment.currency}`
  const { card } = chargeDetails(payment)
  const details = `<dl><dt>Pay to</dt><dd>MALIPO</dd><dt>Card</dt><dd>${card?.type} •••• ${card?.last_4digits}</dd></dl>`
  const choice = `<p>Your bank asks you to confirm this payment.</p>
    <form method="post"><button name="action" value="approve">Approve</button>
    <button name="action" value="decline" class="quiet">Decline</button></form>`
  const ended = `<p class="end">This payment is ${String(presentCharge(payment)['status'])}. You may close this page.</p>`
  return frame(amount, details + (isEnd(payment.state) ? ended : choice))
}

/** Every value shown was checked to be digits, codes or our own text, so nothing needs escaping. */
const frame = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>
body{font:16px/1.5 system-ui,sans-serif;background:#f3efe7;color:#1f2933;display:grid;place-items:center;min-height:100vh;margin:0}
main{background:#fff;border-top:6px solid #0b6b4f;border-radius:12px;padding:32px;width:min(380px,88vw);box-shadow:0 8px 32px #1f29331f}
h1{font-size:32px;margin:0 0 16px}dl{display:grid;grid-template-columns:auto 1fr;gap:8px 16px;margin:0 0 24px}
dt{color:#616e7c}dd{margin:0;text-align:right}form{display:grid;gap:12px}
button{font:inherit;font-weight:600;padding:14px;border:0;border-radius:10px;background:#0b6b4f;color:#fff;cursor:pointer}
button.quiet{background:#e8e6e1;color:#1f2933}button:focus-visible{outline:3px solid #1f2933}
small{display:block;margin-top:24px;color:#616e7c}
</style></head><body><main><h1>${title}</h1>${content}
<small>Mock Bank. Simulator: no real money moves here.</small></main></body></html>
`
