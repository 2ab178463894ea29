import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Place } from '../../api/place.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Icon, type IconName } from '../../ui/icons.tsx'
import type { Payment } from '../payments/payments-query.ts'
import { PaymentView } from './payment-view.tsx'

interface DrawerProps {
  readonly place: Place
  readonly transactionId: string
  /** What the list has of it, which is shown until the rest is there. */
  readonly known: Payment | undefined
  /** Where the payment is in the list; undefined when the list does not have it. */
  readonly position: { readonly at: number; readonly count: number; readonly hasMore: boolean } | undefined
  readonly onStep: ((by: number) => void) | undefined
  readonly onClose: () => void
}

/** One payment beside the list, which it pushes aside. On narrow windows it takes the place of the list. */
export function PaymentDrawer({ place, transactionId, known, position, onStep, onClose }: DrawerProps) {
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another payment takes the focus again.
  useEffect(() => ref.current?.focus({ preventScroll: true }), [transactionId])
  return (
    <aside
      aria-label="Payment"
      className="relative flex min-w-0 flex-col bg-surface outline-none max-wide:w-full max-wide:min-h-[calc(100dvh-var(--chrome))] wide:w-[var(--drawer)] wide:flex-none wide:overflow-y-auto wide:border-l wide:border-line wide:shadow-[-12px_0_24px_-20px_rgb(0_0_0/0.35)]"
      data-drawer
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-1 px-5 pt-3 pb-1 max-phone:px-4">
        <CopyText text={transactionId} what="Transaction id" />
        <span className="flex-1" />
        {position && (
          <span className="mr-1 text-xs whitespace-nowrap text-ink-3">
            {(position.at + 1).toLocaleString('en')} of {position.count.toLocaleString('en')}
            {position.hasMore && '+'}
          </span>
        )}
        <span className="flex" data-print="hidden">
          {onStep && <Step icon="down" onStep={() => onStep(1)} word="Next payment (j)" />}
          {onStep && <Step icon="up" onStep={() => onStep(-1)} word="Previous payment (k)" />}
          <Link
            aria-label="Open as a page"
            className="grid size-8 place-items-center rounded-sm hover:bg-surface-3"
            params={{ ...place, transactionId }}
            title="Open as a page"
            to="/m/$merchantId/$env/payments/$transactionId"
          >
            <Icon name="external" />
          </Link>
          <Step icon="close" onStep={onClose} word="Close (Esc)" />
        </span>
      </header>
      <PaymentView isInDrawer key={transactionId} known={known} place={place} transactionId={transactionId} />
    </aside>
  )
}

function Step({ icon, word, onStep }: { readonly icon: IconName; readonly word: string; readonly onStep: () => void }) {
  return (
    <button
      aria-label={word.replace(/ \(.*/, '')}
      className="grid size-8 place-items-center rounded-sm hover:bg-surface-3"
      onClick={onStep}
      title={word}
      type="button"
    >
      <Icon name={icon} />
    </button>
  )
}
