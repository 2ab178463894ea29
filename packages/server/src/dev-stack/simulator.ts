import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sandboxKeysOf } from '../providers/flutterwave/sandbox-keys.ts'
import { guardFolder, type Service, startService } from './processes.ts'

/** The provider simulator as a separate process, with its control client. */
export interface Simulator {
  readonly url: string
  readonly control: SimulatorControl
  stop(): Promise<void>
}

/** A client of the simulator's control API. Any response but success is an error: a fault that was not set proves nothing. */
export interface SimulatorControl {
  setFault(order: FaultOrder): Promise<void>
  clearFaults(): Promise<void>
  /** Every fault that is set, used or not. */
  faults(): Promise<readonly unknown[]>
  /** Changes settings at run time, such as the callback URL. */
  set(settings: { readonly callbackBase?: string; readonly settleMs?: string }): Promise<void>
  /** When it returns, everything due in that time has happened, and callbacks are on their way. */
  advance(ms: number): Promise<void>
  movements(key: string): Promise<readonly Movement[]>
  /** Every refund of a charge at its provider, oldest first, whatever became of it. */
  refunds(chargeKey: string): Promise<readonly BookedRefund[]>
  /** A person refunds a charge in the provider's dashboard: a part, or all that is left. */
  refundElsewhere(chargeKey: string, amount?: string): Promise<void>
  /** The requests about a payment, oldest first. */
  requests(key: string): Promise<readonly SeenRequest[]>
  /** The customer's action on an open payment, with a reason to decline. Approving a charge by transfer pays the missing amount. */
  act(key: string, action: 'approve' | 'decline', code?: string): Promise<void>
  /** The customer pays this amount into the newest account of a charge, or into the named one. */
  pay(key: string, amount: string, account?: string): Promise<void>
  /** The provider reverses a success, a part of it, or a transfer into an account: the newest unless it is named. */
  reverse(key: string, what?: { readonly amount?: string; readonly receipt?: string }): Promise<void>
  /** The chargeback is won: the reversal is undone. */
  reinstate(key: string): Promise<void>
  /** Every callback caused by a payment, whatever its content. */
  callbacks(key: string): Promise<readonly SentCallback[]>
  /** Sends the newest callback about a payment once more. */
  resendCallback(key: string): Promise<void>
}

export interface FaultOrder {
  readonly provider: string
  /** `charge`, `payout`, `refund`, or one of the simulator's names for other requests. */
  readonly operation: string
  readonly match?: { readonly key?: string; readonly phone?: string; readonly amount?: string }
  readonly mode: FaultMode
  readonly times?: number
  readonly delayMs?: number
  readonly seconds?: number
  readonly status?: number
  readonly body?: unknown
  readonly moment?: 'before' | 'after'
  readonly count?: number
  /** The undocumented words of a refusal. */
  readonly code?: string
}

type FaultMode =
  | 'latency'
  | 'drop_before_processing'
  | 'drop_after_processing'
  | 'half_response'
  | 'http_status'
  | 'html_503'
  | 'malformed_json'
  | 'token_expired'
  | 'account_not_allowed'
  | 'rate_limited'
  | 'unknown_words'
  | 'callback_never'
  | 'callback_late'
  | 'callback_duplicate'
  | 'callback_before_response'
  | 'callback_bad_signature'
  | 'callback_wrong_amount'
  | 'callback_unknown_reference'
  | 'callback_reorder'
  | 'status_lags_callback'
  | 'not_found_window'
  | 'flap'
  | 'stuck_pending'
  | 'operator_delayed'
  | 'operator_closed'
  | 'float_empty'
  | 'reversal_after_success'
  | 'chargeback_won'
  | 'late_receipt'
  | 'prompt_expires'
  | 'bank_under_payment'
  | 'refund_named_payout'
  | 'refund_without_comments'

interface Movement {
  readonly kind: 'collected' | 'paid' | 'refunded' | 'reversed' | 'reinstated'
  readonly amount: string
  readonly currency: string
}

/** A refund in the provider's books. */
export interface BookedRefund {
  /** Malipo's key, if the provider received it. */
  readonly key: string
  readonly state: 'accepted' | 'enqueued' | 'processing' | 'completed' | 'failed' | 'reversed'
  readonly amount: string
}

interface SeenRequest {
  /** The name that faults use. */
  readonly operation: string
  /** The response status; 0 when the connection was cut instead. */
  readonly status: number
}

interface SentCallback {
  readonly body: string
  /** `delivered` after a response of 200. */
  readonly status: string
}

/** Settings with which the simulator acts as every provider, for a service that uses one token. */
export function simulatorAccess(token: string): Readonly<Record<string, string>> {
  const { encryptionKey, webhookHash } = sandboxKeysOf(token)
  return {
    SIMULATOR_PAWAPAY_TOKEN: token,
    SIMULATOR_HOUSE_TOKEN: token,
    SIMULATOR_HOUSE_SECRET: token,
    SIMULATOR_FLUTTERWAVE_TOKEN: token,
    SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY: encryptionKey,
    SIMULATOR_FLUTTERWAVE_HASH: webhookHash,
    SIMULATOR_CONTROL_TOKEN: token,
  }
}

/** The host of the default `MALIPO_PUBLIC_URL`. Callbacks must be signed for it, whatever port a test's process has. */
export const publicHost = { SIMULATOR_CALLBACK_HOST: '127.0.0.1:8080' }

const program = join(import.meta.dirname, '../../../simulator/src/main.ts')
const controlToken = 'control-of-a-test'

/** The provider simulator as a separate process. */
export interface SimulatorService extends Service {
  readonly url: string
}

/** Starts it with its pid and log in the folder. `settings` are its environment variables. */
export async function startSimulatorIn(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<SimulatorService> {
  const listening = () => /^\{"listening":"([^"]+)"\}$/m.exec(readFileSync(join(folder, 'simulator.log'), 'utf8'))?.[1]
  const service = await startService({
    name: 'simulator',
    command: process.execPath,
    args: [program],
    env: { SIMULATOR_PORT: '0', ...settings },
    folder,
    isReady: async () => listening() !== undefined,
  })
  return { ...service, url: listening() ?? '' }
}

/** A simulator for a test, with its control client. It ends with the test, or with this process. */
export async function startSimulator(t: TestContext, settings: Readonly<Record<string, string>>): Promise<Simulator> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-simulator-'))
  const guard = guardFolder(folder, { isKept: false })
  const { SIMULATOR_CONTROL_TOKEN: token = controlToken } = settings
  const service = await startSimulatorIn(folder, { ...settings, SIMULATOR_CONTROL_TOKEN: token })
  const stop = async () => {
    await service.stop()
    await guard.dismiss()
  }
  t.after(stop)
  return { url: service.url, control: openControl(service.url, token), stop }
}

/** A control client for the simulator at this URL. */
export function openControl(url: string, token: string): SimulatorControl {
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await fetch(`${url}/__sim/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    assert.ok(reply.ok, `the simulator refused ${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
  const list = async (path: string) => ((await ask('GET', path)) as { items: unknown[] }).items
  return {
    setFault: async (order) => void (await ask('POST', 'faults', order)),
    faults: () => list('faults'),
    clearFaults: async () => void (await ask('DELETE', 'faults')),
    set: async (settings) => void (await ask('PUT', 'settings', settings)),
    advance: async (ms) => void (await ask('POST', 'clock/advance', { ms })),
    movements: async (key) => (await list(`ledger?key=${key}`)) as Movement[],
    refunds: async (key) => (await list(`refunds?charge=${key}`)) as BookedRefund[],
    refundElsewhere: async (key, amount) =>
      void (await ask('POST', `payments/${key}/refund`, amount === undefined ? {} : { amount })),
    requests: async (key) => (await list(`requests?key=${key}`)) as SeenRequest[],
    act: async (key, action, code) => void (await ask('POST', `payer/${key}/act`, { action, ...(code && { code }) })),
    pay: async (key, amount, account) =>
      void (await ask('POST', `payer/${key}/act`, { action: 'pay_account', amount, ...(account && { account }) })),
    reverse: async (key, what = {}) => void (await ask('POST', `payments/${key}/reverse`, what)),
    reinstate: async (key) => void (await ask('POST', `payments/${key}/reinstate`, {})),
    callbacks: async (key) => (await list(`callbacks?key=${key}`)) as SentCallback[],
    resendCallback: async (key) => void (await ask('POST', `callbacks/${key}/resend`)),
  }
}
