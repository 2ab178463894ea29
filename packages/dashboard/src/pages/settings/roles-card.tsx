import { roles } from '../../generated/access.ts'
import { Card } from '../../ui/card.tsx'

/** What each role may do, from the same table that the server decides by. */
export const RolesCard = () => (
  <Card title="What each role may do">
    <dl className="grid gap-3">
      {roles.map(({ role, summary, permissions, sandbox }) => (
        <div key={role}>
          <dt className="font-medium">{role}</dt>
          <dd>
            <span className="block text-ink-2">{summary}</span>
            <code className="block font-mono text-2xs text-ink-3">
              {permissions.join(' ')}
              {sandbox.length > 0 && ` · sandbox: ${sandbox.join(' ')}`}
            </code>
          </dd>
        </div>
      ))}
    </dl>
  </Card>
)
