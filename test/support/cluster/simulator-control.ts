import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { guardFolder } from '../../../packages/server/src/dev-stack/processes.ts'
import {
  publicHost,
  type SimulatorService,
  simulatorAccess,
  startSimulatorIn,
} from '../../../packages/server/src/dev-stack/simulator.ts'
import { until } from '../../../packages/server/src/dev-stack/until.ts'

/** The simulator's own record of money that moved. */
export interface Moved {
  readonly key: string
  readonly kind: 'collected' | 'paid' | 'refunded' | 'reversed' | 'reinstated'
  readonly amount: string
  readonly currency: string
  /** Which payment into the account of a charge it is, if any. */
  readonly receipt?: string
  /** Of a refund, the key of its charge. */
  readonly refundOf?: string
}

export interface FaultRequest {
  readonly operation: string
  readonly mode: string
  readonly provider?: string
  readonly match?: { readonly key?: string; readonly phone?: string; readonly amount?: string }
  readonly [parameter: string]: unknown
}

/** Controls the provider's side in a whole-system test. */
export interface SimulatorControl {
  readonly url: string
  readonly pid: number
  /** Folder of its journal and its log. */
  readonly folder: string
  /** Settings with which the service reaches it. */
  readonly settings: Readonly<Record<string, string>>
  /** Returns its id. */
  fault(request: FaultRequest): Promise<string>
  /** How many requests or payments each fault struck. A restart forgets all faults. */
  faults(): Promise<{ mode: string; struck: number }[]>
  removeFault(id: string): Promise<void>
  clearFaults(): Promise<void>
  advance(ms: number): Promise<void>
  tune(settings: Readonly<Record<string, unknown>>): Promise<void>
  setFloat(amount: string, purse: { country: string; currency: string; provider?: string }): Promise<void>
  /** All movements, or those of one payment. */
  moved(key?: string): Promise<Moved[]>
  requests(key: string): Promise<{ operation: string; status: number }[]>
  callbacks(key: string): Promise<{ body: string; status: string; attempts: { status: number }[] }[]>
  /** Sends the newest callback about a payment this many times more, and waits for each response. */
  repeat(key: string, times: number): Promise<void>
  /** The customer approves an open payment. */
  approve(key: string): Promise<void>
  /** The customer declines it. */
  decline(key: string): Promise<void>
  /** The customer pays this amount into the account of a charge. */
  pay(key: string, amount: string, account: string): Promise<void>
  /** The provider takes a successful payment back. */
  reverse(key: string): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** The token it shares with the service. */
export const simulatorToken = 'simulator-of-a-story'

/** Ends with the test, or with this process. With a journal it can be killed and restarted on its data. */
export async function startControlledSimulator(
  t: Pick<TestContext, 'after'>,
  settings: Readonly<Record<string, string>> = {},
): Promise<SimulatorControl> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-simulator-'))
  const guard = guardFolder(folder, { isKept: false })
  const service = await startSimulatorIn(folder, {
    ...simulatorAccess(simulatorToken),
    ...publicHost,
    SIMULATOR_JOURNAL: join(folder, 'journal'),
    SIMULATOR_SETTLE_MS: '5-30',
    ...settings,
  })
  t.after(async () => {
    await service.stop('SIGKILL')
    await guard.dismiss()
  })
  return controlOf(service, folder)
}

/** The provider's side of a running simulator. */
export function controlOf(service: SimulatorService, folder: string): SimulatorControl {
  const { url } = service
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await fetch(`${url}/__sim/${path}`, {
      method,
      headers: { Authorization: `Bearer ${simulatorToken}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    assert.ok(reply.ok, `the simulator refused ${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
  const list = async <Item>(path: string) => ((await ask('GET', path)) as { items: Item[] }).items
  const all = async <Item>(path: string): Promise<Item[]> => {
    const items: Item[] = []
    for (let after: number | null = 0; after !== null; ) {
      const page = (await ask('GET', `${path}?after=${after}`)) as { items: Item[]; next: number | null }
      items.push(...page.items)
      after = page.next
    }
    return items
  }
  return {
    url,
    pid: service.pid,
    folder,
    settings: { MALIPO_SIMULATOR_URL: url, MALIPO_SIMULATOR_TOKEN: simulatorToken },
    fault: async (request) => ((await ask('POST', 'faults', { provider: '*', ...request })) as { id: string }).id,
    faults: () => list('faults'),
    removeFault: async (id) => void (await ask('DELETE', `faults/${id}`)),
    clearFaults: async () => void (await ask('DELETE', 'faults')),
    advance: async (ms) => void (await ask('POST', 'clock/advance', { ms })),
    tune: async (wanted) => void (await ask('PUT', 'settings', wanted)),
    setFloat: async (amount, purse) => void (await ask('PUT', 'float', { provider: 'pawapay', ...purse, amount })),
    moved: (key) => (key === undefined ? all('ledger') : list(`ledger?key=${key}`)),
    requests: (key) => list(`requests?key=${key}`),
    callbacks: (key) => list(`callbacks?key=${key}`),
    repeat: async (key, times) => {
      const isQuiet = async () =>
        (await list<{ status: string }>(`callbacks?key=${key}`)).every(({ status }) => status === 'delivered')
      await until('callbacks to be delivered', isQuiet)
      for (let time = 0; time < times; time += 1) {
        await ask('POST', `callbacks/${key}/resend`)
        await until('the repeated callback to be delivered', isQuiet)
      }
    },
    approve: async (key) => void (await ask('POST', `payer/${key}/act`, { action: 'approve' })),
    decline: async (key) => void (await ask('POST', `payer/${key}/act`, { action: 'decline' })),
    pay: async (key, amount, account) =>
      void (await ask('POST', `payer/${key}/act`, { action: 'pay_account', amount, account })),
    reverse: async (key) => void (await ask('POST', `payments/${key}/reverse`, {})),
    stop: (signal) => service.stop(signal),
  }
}
