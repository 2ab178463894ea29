import { useOperator } from './use-operator.ts'

/** Says which permission an action needs, where the person does not have it. */
export function Needs({ permission, what }: { readonly permission: string; readonly what: string }) {
  const { may } = useOperator()
  if (may(permission)) return null
  return (
    <p className="text-xs text-ink-3">
      {what} needs the permission <code className="font-mono">{permission}</code>. An admin of the operator grants it.
    </p>
  )
}
