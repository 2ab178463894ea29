import { Empty } from './empty.tsx'
import { Page } from './page.tsx'

/** Names the permission that is missing, and who can grant it. */
export function Forbidden({ title, permission }: { readonly title: string; readonly permission: string }) {
  return (
    <Page title={title}>
      <Empty title="Your role does not include this">
        It needs the permission <code className="font-mono text-xs">{permission}</code>. An owner of the merchant can
        grant it under Settings, Team.
      </Empty>
    </Page>
  )
}
