import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { permissionWords } from '../../generated/access.ts'
import { useMe } from '../../session.ts'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Note } from '../../ui/note.tsx'
import { useMay, usePlace } from '../use-place.ts'
import { profileQuery } from './settings-query.ts'

/** The merchant as Malipo knows it, and what this person may do in it. */
export function ProfileTab() {
  const place = usePlace()
  const { data, error } = useQuery(profileQuery(place))
  const url = place.env === 'live' ? data?.webhookUrl : data?.sandboxWebhookUrl
  const name = useMe().merchants.find(({ merchant }) => merchant === place.merchantId)?.name ?? ''
  const mayRead = useMay().has('webhooks:read')
  return (
    <div className="grid items-start gap-4 wide:grid-cols-2">
      <Card title="Merchant">
        {error && <Note look="fail">{error.message}</Note>}
        {data && (
          <Facts
            facts={[
              ['Name', name],
              ['Contact', `${data.firstName} ${data.lastName}`.trim()],
              ['E-mail', data.email],
              ['Merchant id', <CopyText key="id" text={place.merchantId} what="Merchant id" />],
              ['Environment', place.env === 'live' ? 'Live: real money' : 'Sandbox: no real money'],
              ['Wallets', [...new Set(data.wallets.map(({ currency }) => currency))].join(', ') || 'none yet'],
              ['Webhook URL', url || 'not set'],
            ]}
          />
        )}
        <p className="mt-3 border-t border-line pt-3 text-xs text-ink-3">
          Name, contact and e-mail are set by the operator.{' '}
          {mayRead && (
            <>
              The webhook URL and its secret are under{' '}
              <Link
                className="font-medium text-brand underline"
                params={place}
                search={{ tab: 'webhooks' }}
                to="/m/$merchantId/$env/developers"
              >
                Developers, Webhooks
              </Link>
              .
            </>
          )}
        </p>
      </Card>
      <YourRoles />
    </div>
  )
}

/** What the person may do here, with the permissions that are missing named. */
function YourRoles() {
  const { merchantId } = usePlace()
  const may = useMay()
  const roles = useMe().merchants.filter(({ merchant }) => merchant === merchantId)
  return (
    <Card about={roles.map(({ role }) => role).join(', ')} title="What you may do here">
      <ul className="grid gap-1">
        {Object.entries(permissionWords).map(([permission, meaning]) => {
          const isHeld = may.has(permission)
          return (
            <li className={`flex items-start gap-2 ${isHeld ? '' : 'text-ink-3'}`} key={permission}>
              <Icon className={`mt-0.5 ${isHeld ? 'text-ok' : ''}`} name={isHeld ? 'check' : 'close'} size={14} />
              <span className="min-w-0">
                {meaning}
                {!isHeld && <span className="sr-only"> (not yours)</span>}{' '}
                <code className="font-mono text-2xs text-ink-3">{permission}</code>
              </span>
            </li>
          )
        })}
      </ul>
      <p className="mt-3 text-xs text-ink-3">An owner of your team grants roles under Team.</p>
    </Card>
  )
}
