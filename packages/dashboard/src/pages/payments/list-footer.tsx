import { counted } from '../../ui/counted.ts'
import { zoneChoice, zoneWord } from '../../ui/zone.ts'

interface FooterProps {
  /** Undefined while it is not known. */
  readonly count: number | undefined
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly mayExport: boolean
}

const keys = [
  [['j', 'k'], 'move'],
  [['↵'], 'open'],
  [['x'], 'select'],
  [['c'], 'copy id'],
  [['?'], 'all keys'],
] as const

/** How many are loaded, and the keys of the list. */
export function ListFooter({ count, hasMore, isLoading, mayExport }: FooterProps) {
  const zone = zoneWord(zoneChoice.use())
  const payments = count === undefined ? '' : counted(count, 'payment')
  return (
    <footer className="@container flex h-10 flex-none items-center gap-4 border-t border-line px-6 text-xs text-ink-3 max-phone:px-4">
      <span className="whitespace-nowrap" role="status">
        {payments}
        {hasMore && (isLoading ? ', loading more' : ', more below')}
      </span>
      <span className="truncate">
        Days and times in {zone}
        {mayExport && zone !== 'UTC' && ', times in the CSV in UTC'}
      </span>
      <span className="flex-1" />
      <span className="flex gap-3 whitespace-nowrap max-wide:hidden">
        {keys.map(([names, what], at) => (
          <span className={at > 2 ? '@max-[640px]:hidden' : ''} key={what}>
            {names.map((name) => (
              <kbd className="mr-1" key={name}>
                {name}
              </kbd>
            ))}
            {what}
          </span>
        ))}
      </span>
    </footer>
  )
}
