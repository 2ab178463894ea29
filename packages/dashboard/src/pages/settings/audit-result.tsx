import { Badge } from '../../ui/badge.tsx'

/** Whether it was done or refused. */
export function AuditResult({ result }: { readonly result: string }) {
  return result === 'done' ? (
    <Badge icon="done" tone="ok" word="Done" />
  ) : (
    <Badge icon="failed" tone="fail" word="Refused" />
  )
}
