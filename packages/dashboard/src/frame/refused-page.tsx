import type { CallError } from '../api/call.ts'
import { Icon } from '../ui/icons.tsx'

/** Names the permission that is missing, and who can grant it. */
export function RefusedPage({ refusal }: { readonly refusal: CallError }) {
  return (
    <section className="mx-auto grid max-w-[460px] justify-items-center gap-2 px-6 py-20 text-center">
      <span className="grid size-9 place-items-center rounded-md bg-surface-3 text-ink-2">
        <Icon name="lock" size={18} />
      </span>
      <h1 className="mt-1 text-xl font-semibold">You may not see this page</h1>
      <p className="text-ink-2">{refusal.details[0]?.message ?? refusal.message}.</p>
      <p className="text-ink-3">A person with the role owner can grant it under Settings, Team.</p>
    </section>
  )
}
