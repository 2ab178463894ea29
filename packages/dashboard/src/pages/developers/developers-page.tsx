import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { buttonLook } from '../../ui/button-look.ts'
import { Icon } from '../../ui/icons.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useMay, usePlace } from '../use-place.ts'
import type { DeveloperTab } from './developers-search.ts'
import { useGoLiveChecks } from './go-live-checks.ts'

const parts = {
  requests: lazy(async () => ({ default: (await import('./requests-tab.tsx')).RequestsTab })),
  webhooks: lazy(async () => ({ default: (await import('./webhooks-tab.tsx')).WebhooksTab })),
  keys: lazy(async () => ({ default: (await import('./keys-tab.tsx')).KeysTab })),
  sandbox: lazy(async () => ({ default: (await import('./sandbox-tab.tsx')).SandboxTab })),
  'go-live': lazy(async () => ({ default: (await import('./go-live-tab.tsx')).GoLiveTab })),
}

const words: Readonly<Record<DeveloperTab, string>> = {
  requests: 'Requests',
  webhooks: 'Webhooks',
  keys: 'Keys',
  sandbox: 'Sandbox tools',
  'go-live': 'Go-live checks',
}

const permissions: Readonly<Record<DeveloperTab, readonly string[]>> = {
  requests: ['webhooks:read'],
  webhooks: ['webhooks:read'],
  keys: ['developers:write'],
  sandbox: ['webhooks:read', 'developers:write'],
  'go-live': ['developers:write'],
}

const names = Object.keys(words) as DeveloperTab[]

/** Everything for the people who integrate: requests, webhooks, keys, the tools of the sandbox, and what is left before going live. */
export function DevelopersPage() {
  const may = useMay()
  const { tab } = useSearch({ from: '/m/$merchantId/$env/developers' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/developers' })
  const tabs = names.filter((name) => permissions[name].some((permission) => may.has(permission)))
  const open = tab !== undefined && tabs.includes(tab) ? tab : tabs[0]
  const Part = open && parts[open]
  if (!Part)
    return (
      <Page title="Developers">
        <p className="text-ink-2">
          This page needs the permission webhooks:read or developers:write. An owner of your team can grant a role with
          it.
        </p>
      </Page>
    )
  return (
    <Page actions={may.has('developers:write') && <GoLiveLink />} title="Developers">
      <Tabs
        label="Parts of the page"
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

function GoLiveLink() {
  const { done, all } = useGoLiveChecks()
  return (
    <Link className={buttonLook()} params={usePlace()} search={{ tab: 'go-live' }} to="/m/$merchantId/$env/developers">
      <Icon name="approvals" />
      Go-live checks
      {all > 0 && (
        <span className="font-normal text-ink-3">
          {done} of {all}
        </span>
      )}
    </Link>
  )
}
