interface RequestNote {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly provider: string
  readonly operation: string
  readonly key?: string
  readonly body: unknown
  /** The status of the response. 0 when the connection was cut instead. */
  readonly status: number
  readonly faults: readonly string[]
}

export interface RequestLog {
  add(note: RequestNote): void
  /** Oldest first. */
  list(): RequestNote[]
  clear(): void
}

const notesMax = 1000
const secrets = new Set([
  'preAuthorisationCode',
  'code',
  'voucher',
  'client',
  'card_number',
  'cvv',
  'pin',
  'otp',
  'authorization',
])

/** The last thousand requests. Headers, and so tokens, are not kept; codes, vouchers and cards are masked at once. */
export function startRequestLog(): RequestLog {
  let notes: RequestNote[] = []
  return {
    add: (note) => {
      notes.push({ ...note, body: redact(note.body) })
      if (notes.length > 2 * notesMax) notes = notes.slice(-notesMax)
    },
    list: () => notes.slice(-notesMax),
    clear: () => {
      notes = []
    },
  }
}

function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, secrets.has(name) ? '[hidden]' : redact(inner)]),
  )
}
