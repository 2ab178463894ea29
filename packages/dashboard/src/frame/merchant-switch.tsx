import { Link } from '@tanstack/react-router'
import type { Me } from '../session.ts'
import { Icon } from '../ui/icons.tsx'
import { Mark } from '../ui/mark.tsx'

interface MerchantSwitchProps {
  readonly me: Me
  readonly merchantId: string | undefined
}

/** Where the person works: one of their merchants, or the operator. */
export function MerchantSwitch({ me, merchantId }: MerchantSwitchProps) {
  const merchants = [...new Map(me.merchants.map((role) => [role.merchant, role])).values()]
  const current = merchants.find(({ merchant }) => merchant === merchantId)
  const places = [
    ...merchants.map(({ merchant, name }) => ({ key: merchant, word: name, to: `/m/${merchant}/live` })),
    ...(me.operator.length > 0 ? [{ key: 'operator', word: 'Operator', to: '/operator' }] : []),
  ]
  const head = (
    <>
      <Mark />
      <span className="min-w-0 flex-1 text-left">
        <b className="block truncate font-semibold">{current?.name ?? 'Operator'}</b>
        <small className="text-2xs text-ink-3">{current ? 'Merchant' : 'Malipo'}</small>
      </span>
    </>
  )
  if (places.length < 2) return <div className="flex items-center gap-2.5 px-2 py-1.5">{head}</div>
  return (
    <>
      <button
        className="flex w-full items-center gap-2.5 rounded-sm px-2 py-1.5 hover:bg-surface-3"
        popoverTarget="places"
        type="button"
      >
        {head}
        <Icon name="chevron" />
      </button>
      <div
        className="m-0 ml-3 mt-14 w-[192px] rounded-md border border-line-2 bg-surface p-1 shadow-raised"
        id="places"
        popover="auto"
      >
        {places.map(({ key, word, to }) => (
          <Link className="block rounded-sm px-2 py-1.5 font-medium hover:bg-surface-3" key={key} to={to as never}>
            {word}
          </Link>
        ))}
      </div>
    </>
  )
}
