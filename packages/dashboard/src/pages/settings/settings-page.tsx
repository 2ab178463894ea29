import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useMay } from '../use-place.ts'
import type { SettingsTab } from './settings-search.ts'

const parts = {
  profile: lazy(async () => ({ default: (await import('./profile-tab.tsx')).ProfileTab })),
  team: lazy(async () => ({ default: (await import('./team-tab.tsx')).TeamTab })),
  security: lazy(async () => ({ default: (await import('./security-tab.tsx')).SecurityTab })),
  controls: lazy(async () => ({ default: (await import('./controls-tab.tsx')).ControlsTab })),
  audit: lazy(async () => ({ default: (await import('./audit-page.tsx')).AuditTrail })),
}

const words: Readonly<Record<SettingsTab, string>> = {
  profile: 'Profile',
  team: 'Team',
  security: 'Security',
  controls: 'Payout controls',
  audit: 'Audit trail',
}

/** What a person must hold to see a part; security is each person's own. */
const permissions: Readonly<Partial<Record<SettingsTab, string>>> = {
  profile: 'payments:read',
  team: 'people:read',
  controls: 'payments:read',
  audit: 'audit:read',
}

const names = Object.keys(words) as SettingsTab[]

/** Who the merchant is, who may do what, and what was done. */
export function SettingsPage() {
  const may = useMay()
  const { tab } = useSearch({ from: '/m/$merchantId/$env/settings' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/settings' })
  const tabs = names.filter((name) => permissions[name] === undefined || may.has(permissions[name]))
  const open = tab !== undefined && tabs.includes(tab) ? tab : (tabs[0] ?? 'security')
  const Part = parts[open]
  return (
    <Page title="Settings">
      <Tabs
        label="Parts of the settings"
        onOpen={(name) => void navigate({ search: { tab: name } })}
        open={open}
        tabs={tabs.map((name) => ({ name, word: words[name] }))}
      >
        <div className="pt-4">
          <Suspense>
            <Part />
          </Suspense>
        </div>
      </Tabs>
    </Page>
  )
}
