import { zoneChoice, zoneName, zoneWord } from '../ui/zone.ts'

/** All times of all pages, in the zone of this browser or in UTC. */
export function ZoneSwitch() {
  const choice = zoneChoice.use()
  const other = choice === 'utc' ? 'browser' : 'utc'
  return (
    <button
      aria-label={`Times are in ${zoneName(choice)}. Show them in ${zoneName(other)}`}
      className="h-8 rounded-sm px-2 text-xs font-medium text-ink-2 hover:bg-surface-3 max-phone:hidden"
      onClick={() => zoneChoice.set(other)}
      type="button"
    >
      {zoneWord(choice)}
    </button>
  )
}
