import { matchesIn } from '../../search.ts'

const tabs = ['requests', 'webhooks', 'keys', 'sandbox', 'go-live'] as const
export type DeveloperTab = (typeof tabs)[number]

/** What the page of developers shows. Filters are in the URL; no field of it can have personal data. */
export interface DeveloperSearch {
  readonly tab?: DeveloperTab
  /** A status such as 422, or a class such as 4xx. */
  readonly status?: string
  readonly path?: string
  readonly requestId?: string
  readonly startDate?: string
  readonly endDate?: string
  readonly view?: 'errors' | 'failed'
  /** The open request or delivery. */
  readonly open?: string
}

const patterns = {
  status: /^[1-5](\d\d|xx)$/,
  path: /^\/[\w\-/:.{}]{0,199}$/,
  requestId: /^[\w-]{1,128}$/,
  startDate: /^\d{4}-\d\d-\d\d$/,
  endDate: /^\d{4}-\d\d-\d\d$/,
  view: /^(errors|failed)$/,
  open: /^[\w-]{1,128}$/,
} as const

/** Keeps what is known and drops the rest: a URL is written by anyone. */
export function readDeveloperSearch(search: Record<string, unknown>): DeveloperSearch {
  const tab = tabs.find((each) => each === search['tab'])
  return { ...(tab && { tab }), ...matchesIn(search, patterns) } as DeveloperSearch
}
