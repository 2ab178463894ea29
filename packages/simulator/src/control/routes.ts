import type { Core } from '../core.ts'
import type { Call, Reply } from '../dialect.ts'
import { type Control, hasToken } from '../http.ts'
import type { Journal } from '../journal.ts'
import { changeEnd, passTime } from './aftermath.ts'
import { actOnCallback, listCallbacks } from './callbacks.ts'
import { complain } from './complain.ts'
import { addFault, listFaults, removeFault, removeFaults } from './faults.ts'
import { takeHandset } from './handset.ts'
import { actAsPayer } from './payer.ts'
import { listMovements, listPayments, listRefunds, listTotals } from './reads.ts'
import { refundElsewhere } from './refunds.ts'
import { advanceClock, health, readFloats, readTuning, reset, setFloat, setTuning } from './state.ts'
import { testValues } from './test-values.ts'

export interface ControlCall {
  readonly core: Core
  readonly journal: Journal
  readonly json: unknown
  readonly query: URLSearchParams
  /** The path segments that matched `:name`, in order. */
  readonly names: readonly string[]
}

type Verb = (call: ControlCall) => Reply | Promise<Reply>

const verbs: Readonly<Record<string, Verb>> = {
  'GET health': health,
  'POST reset': reset,
  'GET settings': readTuning,
  'PUT settings': setTuning,
  'POST clock/advance': advanceClock,
  'GET float': readFloats,
  'PUT float': setFloat,
  'GET payments': listPayments,
  'GET refunds': listRefunds,
  'GET ledger': listMovements,
  'GET ledger/totals': listTotals,
  'GET requests': ({ core, query }) => ({ status: 200, body: { items: requestsOf(core, query.get('key')) } }),
  'POST payer/:key/act': actAsPayer,
  'POST handset': takeHandset,
  'POST payments/:key/reverse': (call) => changeEnd(call, 'reverse'),
  'POST payments/:key/reinstate': (call) => changeEnd(call, 'reinstate'),
  'POST payments/:key/succeed': (call) => changeEnd(call, 'succeed'),
  'POST payments/:key/refund': refundElsewhere,
  'POST time/pass': passTime,
  'GET test-values': testValues,
  'GET faults': listFaults,
  'POST faults': addFault,
  'DELETE faults': removeFaults,
  'DELETE faults/:id': removeFault,
  'GET callbacks': listCallbacks,
  'POST callbacks/:id/resend': (call) => actOnCallback(call, 'resend'),
  'POST callbacks/:id/reorder': (call) => actOnCallback(call, 'reorder'),
  'POST callbacks/:id/drop': (call) => actOnCallback(call, 'drop'),
}

/** The control API. Without a token it does not exist. */
export function createControl(core: Core, journal: Journal, token: string | undefined): Control {
  const table = Object.entries(verbs).map(([name, verb]) => ({ parts: name.split(/[ /]/), verb }))
  return (call) => {
    if (token === undefined) return nothing
    if (hasToken(call, token) !== 'right') return complain(401, 'The control token is missing or wrong.')
    const given = [call.method, ...call.path.split('/').slice(2)]
    const found = table.find(
      ({ parts }) =>
        parts.length === given.length && parts.every((part, index) => part.startsWith(':') || part === given[index]),
    )
    if (found === undefined) return nothing
    const names = given.filter((_, index) => found.parts[index]?.startsWith(':'))
    const { json, query } = call satisfies Call
    return found.verb({ core, journal, json, query, names })
  }
}

const nothing = complain(404, 'Path not found.')

const requestsOf = (core: Core, key: string | null) =>
  core.requests.list().filter((note) => key === null || note.key === key)
