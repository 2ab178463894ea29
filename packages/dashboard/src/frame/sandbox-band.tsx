import { Link } from '@tanstack/react-router'

/** No sandbox screen is without it, and no live screen has it. */
export function SandboxBand({ merchantId }: { readonly merchantId: string | undefined }) {
  return (
    <section
      aria-label="Sandbox"
      className="flex h-6 items-center gap-2 bg-[repeating-linear-gradient(135deg,var(--sand)_0_12px,var(--sand-stripe)_12px_24px)] px-6 text-2xs font-semibold tracking-wide whitespace-nowrap text-sand-ink max-phone:px-4 wide:rounded-t-lg"
      data-frame
    >
      SANDBOX <span className="truncate font-medium tracking-normal">Test data. No real money moves here.</span>
      <span className="flex-1" />
      {merchantId !== undefined && (
        <Link
          className="font-semibold underline max-phone:hidden"
          params={{ merchantId, env: 'live' }}
          to="/m/$merchantId/$env"
        >
          Go to live
        </Link>
      )}
    </section>
  )
}
