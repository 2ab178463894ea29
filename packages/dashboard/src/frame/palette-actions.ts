import type { Place } from '../api/place.ts'
import type { IconName } from '../ui/icons.tsx'

interface Action {
  readonly word: string
  readonly icon: IconName
  readonly keys: readonly string[]
  readonly to: string
  /** It downloads in place of going to a page. */
  readonly isExport?: true
}

interface OwnAction extends Omit<Action, 'to'> {
  /** Below the merchant and the environment. */
  readonly path: string
  /** Any of these. */
  readonly permissions: readonly string[]
}

const own: readonly OwnAction[] = [
  { word: 'New payout', icon: 'plus', keys: ['n'], path: '/payouts/new', permissions: ['payouts:create'] },
  { word: 'New payouts from a file', icon: 'plus', keys: [], path: '/payouts/bulk', permissions: ['payouts:create'] },
  { word: 'Go to Home', icon: 'home', keys: ['g', 'h'], path: '', permissions: ['payments:read'] },
  { word: 'Go to Payments', icon: 'payments', keys: ['g', 'p'], path: '/payments', permissions: ['payments:read'] },
  { word: 'Go to Balances', icon: 'balances', keys: ['g', 'b'], path: '/balances', permissions: ['payments:read'] },
  { word: 'Go to Beneficiaries', icon: 'people', keys: [], path: '/beneficiaries', permissions: ['payments:read'] },
  { word: 'Go to Approvals', icon: 'approvals', keys: [], path: '/approvals', permissions: ['payouts:approve'] },
  {
    word: 'Go to Developers',
    icon: 'developers',
    keys: ['g', 'd'],
    path: '/developers',
    permissions: ['webhooks:read'],
  },
  { word: 'Go to Settings', icon: 'settings', keys: [], path: '/settings', permissions: ['payments:read'] },
]

const shownMax = 6

/** What the person may do: what the typed words name, or the first ones. */
export function actionsFor({ merchantId, env }: Place, may: ReadonlySet<string>, q: string): readonly Action[] {
  const base = `/m/${merchantId}/${env}`
  const other = env === 'live' ? 'sandbox' : 'live'
  const switching: Action = {
    word: `Switch to ${other}`,
    icon: 'suspense',
    keys: [],
    to: `/m/${merchantId}/${other}`,
  }
  const exporting = may.has('payments:export')
    ? [{ word: 'Export payments', icon: 'download', keys: ['e'], to: `${base}/payments`, isExport: true } as const]
    : []
  const allowed = own
    .filter(({ permissions }) => permissions.some((permission) => may.has(permission)))
    .map(({ path, permissions: _, ...action }): Action => ({ ...action, to: `${base}${path}` }))
  const all = [...allowed.slice(0, 1), ...exporting, ...allowed.slice(1), switching]
  if (q === '') return [...all.slice(0, shownMax - 1), switching]
  const named = all.filter(({ word }) => word.toLowerCase().includes(q.toLowerCase()))
  return named.length === 0 ? all.slice(0, 2) : named.slice(0, shownMax)
}

/** The amount that was typed, such as `2,211` or `18500.50`. */
export function amountIn(q: string): number | undefined {
  const plain = q.replaceAll(/[\s,]/g, '')
  return /^\d{1,12}(\.\d{1,3})?$/.test(plain) ? Number(plain) : undefined
}
