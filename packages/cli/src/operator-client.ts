import type { LocalOperator, ProposalsWanted, ProposalView } from '@malipo/server/operate'
import { CliError } from './cli-error.ts'
import { operatorRoutes } from './generated/operator-routes.ts'
import type { OperatorAccess } from './operator-access.ts'
import { resultOf, type StaffRequest, sendStaffRequest } from './operator-http.ts'

/** For the maker of a proposal a new key pair or the link of an invitation, for its approver the code of the invitation. */
export interface CollectedSecret {
  readonly publicKey?: string
  readonly apiKey?: string
  readonly link?: string
  readonly code?: string
  readonly expiresAt?: string
}

/** What staff do over the operator API: everything but break-glass, and deciding about the proposals of others. */
export interface OperatorClient extends LocalOperator {
  readonly proposals: {
    list(wanted: ProposalsWanted): Promise<ProposalView[]>
    show(proposal: string): Promise<ProposalView>
    approve(proposal: string, reason: string): Promise<ProposalView>
    reject(proposal: string, reason: string): Promise<ProposalView>
    withdraw(proposal: string, reason: string): Promise<ProposalView>
    /** What an executed proposal has for this person, once. */
    collect(proposal: string): Promise<CollectedSecret>
  }
}

type OperationName = keyof typeof operatorRoutes
type Route = readonly [method: StaffRequest['method'], path: string, kind?: 'read']
type Input = Readonly<Record<string, unknown>> | object

/** The operator's commands as calls of the operator API. */
export function operatorClient({ url, token }: OperatorAccess, signal?: AbortSignal): OperatorClient {
  const send = async <Result>(name: OperationName, input: Input = {}): Promise<Result> => {
    const request = requestOf(name, input as Readonly<Record<string, unknown>>)
    const headers = { authorization: `Bearer ${token}` }
    return resultOf<Result>(url, request, await sendStaffRequest(url, { ...request, headers, signal }))
  }
  return {
    ...ofMerchants(send),
    ...ofMoney(send),
    ...ofPayments(send),
    ...ofPeople(send),
  }
}

type Send = <Result>(name: OperationName, input?: Input) => Promise<Result>

const ofMerchants = (send: Send): Pick<OperatorClient, 'merchants' | 'keys' | 'payoutControls' | 'webhooks'> => ({
  merchants: {
    create: (order) => send('merchants.create', order),
    list: (page) => send('merchants.list', page),
    show: (merchant) => send('merchants.show', { merchant }),
    freeze: (merchant, reason) => send('merchants.freeze', { merchant, reason }),
    unfreeze: (merchant, reason) => send('merchants.unfreeze', { merchant, reason }),
    currencies: (merchant) => send('merchants.currencies', { merchant }),
    setCurrencies: (merchant, order) => send('merchants.setCurrencies', { merchant, ...order }),
  },
  keys: {
    create: (merchant, order) => send('keys.create', { merchant, ...order }),
    rotate: (publicKey, order) => send('keys.rotate', { publicKey, ...order }),
    revoke: (publicKey, reason) => send('keys.revoke', { publicKey, reason }),
    list: (merchant) => send('keys.list', { merchant }),
  },
  payoutControls: {
    show: (merchant) => send('payoutControls.show', { merchant }),
    setLimits: (merchant, order) => send('payoutControls.setLimits', { merchant, ...order }),
    setApprovals: (merchant, order) => send('payoutControls.setApprovals', { merchant, ...order }),
  },
  webhooks: { resend: (merchant, order) => send('webhooks.resend', { merchant, ...order }) },
})

const ofMoney = (
  send: Send,
): Pick<OperatorClient, 'wallets' | 'floats' | 'fees' | 'providers' | 'rates' | 'thresholds' | 'ledger'> => ({
  wallets: {
    fund: (merchant, funding) => send('wallets.fund', { merchant, ...funding }),
    show: (merchant, wanted) => send('wallets.show', { merchant, ...wanted }),
  },
  floats: {
    adjust: (adjustment) => send('floats.adjust', adjustment),
    list: () => send('floats.list'),
    mark: (order) => send('floats.mark', order),
  },
  fees: {
    set: (order) => send('fees.set', order),
    list: (wanted) => send('fees.list', wanted),
    show: (question) => send('fees.show', question),
  },
  providers: {
    status: () => send('providers.status'),
    board: (wanted) => send('providers.board', wanted),
    pause: (provider, order) => send('providers.pause', { provider, ...order }),
    resume: (provider, order) => send('providers.resume', { provider, ...order }),
  },
  rates: {
    list: (wanted) => send('rates.list', wanted),
    confirm: (rate, reason) => send('rates.confirm', { rate, reason }),
    reject: (rate, reason) => send('rates.reject', { rate, reason }),
  },
  thresholds: { list: () => send('thresholds.list'), set: (order) => send('thresholds.set', order) },
  ledger: {
    show: (payment) => send('ledger.show', { payment }),
    trialBalance: (wanted) => send('ledger.trialBalance', wanted),
    accounts: (wanted) => send('ledger.accounts', wanted),
    entries: (account, wanted) => send('ledger.entries', { account, ...wanted }),
    integrity: () => send('ledger.integrity'),
  },
})

const ofPayments = (send: Send): Pick<OperatorClient, 'operations' | 'payments' | 'suspense' | 'callbacks'> => ({
  operations: { show: (wanted) => send('operations.show', wanted) },
  payments: {
    list: (wanted) => send('payments.list', wanted),
    find: (wanted) => send('payments.find', wanted),
    show: (payment) => send('payments.show', { payment }),
    resolutions: (payment) => send('payments.resolutions', { payment }),
    resolve: (payment, resolution) => send('payments.resolve', { payment, ...resolution }),
    retry: (payment, reason) => send('payments.retry', { payment, reason }),
  },
  suspense: {
    list: (wanted) => send('suspense.list', wanted),
    show: (caseId) => send('suspense.show', { caseId }),
    clearings: (caseId, wanted) => send('suspense.clearings', { caseId, ...wanted }),
    clear: (caseId, clearing) => send('suspense.clear', { caseId, ...clearing }),
  },
  callbacks: {
    list: (wanted) => send('callbacks.list', wanted),
    show: (callback) => send('callbacks.show', { callback }),
  },
})

const ofPeople = (send: Send): Pick<OperatorClient, 'people' | 'machines' | 'audit' | 'proposals'> => ({
  people: {
    invite: (order) => send('people.invite', order),
    list: (page) => send('people.list', page),
    grant: (person, order) => send('people.grant', { person, ...order }),
    endRole: (membership, reason) => send('people.endRole', { membership, reason }),
    end: (person, reason) => send('people.end', { person, reason }),
    sessions: (person) => send('people.sessions', { person }),
    endSessions: async (person, reason) =>
      (await send<{ ended: number }>('people.endSessions', { person, reason })).ended,
    recover: (person, reason) => send('people.recover', { person, reason }),
  },
  machines: {
    create: (order) => send('machines.create', order),
    list: () => send('machines.list'),
    revoke: (machine, reason) => send('machines.revoke', { machine, reason }),
  },
  audit: { list: (order) => send('audit.list', order), show: (entry) => send('audit.show', { entry }) },
  proposals: {
    list: (wanted) => send('proposals.list', wanted),
    show: (proposal) => send('proposals.show', { proposal }),
    approve: (proposal, reason) => send('proposals.approve', { proposal, reason }),
    reject: (proposal, reason) => send('proposals.reject', { proposal, reason }),
    withdraw: (proposal, reason) => send('proposals.withdraw', { proposal, reason }),
    collect: (proposal) => send('proposals.collect', { proposal }),
  },
})

/** Fields that the path names are its parameters; the others are the query or the body. */
function requestOf(name: OperationName, input: Readonly<Record<string, unknown>>): StaffRequest {
  const [method, path, kind] = operatorRoutes[name] as Route
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, field = '']) => field)
  const filled = path.replaceAll(/:(\w+)/g, (_, field: string) => segment(String(input[field])))
  const rest = Object.entries(input).filter(([field, value]) => !inPath.includes(field) && value !== undefined)
  const target = `/operator/v1${filled}`
  if (method !== 'GET') return { method, path: target, body: Object.fromEntries(rest), isChange: kind !== 'read' }
  const query = new URLSearchParams(Object.fromEntries(rest.map(([field, value]) => [field, queryText(value)])))
  return { method, path: rest.length === 0 ? target : `${target}?${query}` }
}

/** A part of the path. A URL would leave out an empty part and resolve dots, and so name another route. */
function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new CliError('usage', `"${text}" is not an id.`)
  return encodeURIComponent(text)
}

const queryText = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value))
