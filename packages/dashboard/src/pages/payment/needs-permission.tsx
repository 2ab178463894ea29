/** Names what is missing, and who can give it. */
export function NeedsPermission({ permission, what }: { readonly permission: string; readonly what: string }) {
  return (
    <p className="pt-6 text-ink-3">
      To see {what} you need the permission <code className="font-mono text-xs text-ink-2">{permission}</code>. A person
      with the role owner can grant it under Settings, Team.
    </p>
  )
}
