import { matchesIn } from '../../search.ts'

const tabs = ['profile', 'team', 'security', 'controls', 'audit'] as const
export type SettingsTab = (typeof tabs)[number]

/** What the settings show. People are named by their id: URLs are kept in histories and logs. */
export interface SettingsSearch {
  readonly tab?: SettingsTab
  /** Of the audit trail. */
  readonly actor?: string
  readonly action?: string
  readonly open?: string
}

const patterns = { actor: /^[\w-]{1,100}$/, action: /^[\w\-. /:]{1,200}$/, open: /^[\w-]{1,100}$/ } as const

/** Keeps what is known and drops the rest: a URL is written by anyone. */
export function readSettingsSearch(search: Record<string, unknown>): SettingsSearch {
  const tab = tabs.find((each) => each === search['tab'])
  return { ...(tab && { tab }), ...matchesIn(search, patterns) } as SettingsSearch
}
