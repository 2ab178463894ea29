import { type Callback, isOver } from '../callbacks.ts'
import { isEnd } from '../entries.ts'
import { sendCallback } from '../send-callback.ts'
import { complain } from './complain.ts'
import { paymentsOf } from './reads.ts'
import type { ControlCall } from './routes.ts'

const shownMax = 1000

export function listCallbacks({ core, query }: ControlCall) {
  const key = query.get('key')?.toLowerCase()
  const all = core.callbacks.list()
  const chosen = key === undefined ? all.slice(-shownMax) : all.filter((callback) => callback.key === key)
  return { status: 200, body: { items: chosen } }
}

/** The id is a callback's id, or a payment's key for its newest callback. */
export function actOnCallback({ core, names }: ControlCall, action: 'resend' | 'reorder' | 'drop') {
  const id = (names[0] ?? '').toLowerCase()
  const callback = core.callbacks.find(id) ?? core.callbacks.latestOf(id)
  if (callback === undefined) return action === 'resend' ? sendFirst(core, id) : complain(404, 'Callback not found.')
  if (callback.status === 'sending' || (action !== 'resend' && isOver(callback.status)))
    return complain(409, `The callback is ${callback.status}.`)
  if (action === 'resend') core.callbacks.sendAgain(callback)
  else if (action === 'reorder') core.callbacks.hold(callback)
  else core.callbacks.drop(callback)
  return { status: 200, body: present(callback) }
}

/** Sends the first callback of a payment that had none because of a fault or because no receiver was set. */
function sendFirst(core: ControlCall['core'], key: string) {
  const [payment] = paymentsOf({ core }, key)
  if (payment === undefined) return complain(404, 'No callback and no payment found.')
  const receipt = payment.receipts?.at(-1)
  const isQuiet = payment.waitsFor === 'money' ? receipt === undefined : payment.waitsFor === 'steps'
  if (isQuiet && !isEnd(payment.state)) return complain(409, 'The payment has nothing to report yet.')
  const honest = { ...payment, faults: payment.faults.filter(({ mode }) => mode !== 'callback_never') }
  const callback = sendCallback(core, honest, isEnd(payment.state) ? undefined : receipt)
  return callback ? { status: 200, body: present(callback) } : complain(409, 'No callback base is configured.')
}

const present = ({ id, key, state, status }: Callback) => ({ id, key, state, status })
