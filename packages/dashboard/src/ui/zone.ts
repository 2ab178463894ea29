import { stored } from './stored.ts'

const zones = ['browser', 'utc'] as const
type ZoneChoice = (typeof zones)[number]

/** The zone in which every time of the dashboard is shown. */
export const zoneChoice = stored<ZoneChoice>('zone', zones)

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const zoneName = (choice: ZoneChoice): string => (choice === 'utc' ? 'UTC' : browserZone)

/** `EAT` or `GMT+3`, as people of the zone write it. */
export function zoneWord(choice: ZoneChoice): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zoneName(choice), timeZoneName: 'short' }).formatToParts()
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zoneName(choice)
}
