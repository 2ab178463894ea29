/** No sandbox screen is without it, and no live screen has it. */
export function SandboxBand() {
  return (
    <section
      aria-label="Environment"
      className="rounded-t-lg bg-[repeating-linear-gradient(135deg,var(--sand)_0_12px,var(--sand-stripe)_12px_24px)] px-6 py-1 text-2xs font-semibold tracking-wide text-sand-ink"
      data-frame
    >
      SANDBOX <span className="font-medium">No real money moves here.</span>
    </section>
  )
}
