import { Link, useParams } from '@tanstack/react-router'
import { CopyText } from '../../ui/copy-text.tsx'
import { Icon } from '../../ui/icons.tsx'
import { PaymentView } from './payment-view.tsx'

/** One payment on a page of its own, to be linked to and printed. */
export function PaymentPage() {
  const { transactionId, ...place } = useParams({ from: '/m/$merchantId/$env/payments/$transactionId' })
  return (
    <div className="mx-auto flex min-h-[calc(100dvh-var(--chrome))] w-full max-w-[820px] flex-col" data-drawer>
      <header className="flex items-center gap-3 px-5 pt-4 pb-1 max-phone:px-4">
        <Link
          className="inline-flex items-center gap-1 font-medium text-brand"
          data-print="hidden"
          params={place}
          search={{ open: transactionId }}
          to="/m/$merchantId/$env/payments"
        >
          <Icon className="rotate-90" name="chevron" />
          Payments
        </Link>
        <span className="flex-1" />
        <CopyText text={transactionId} what="Transaction id" />
      </header>
      <PaymentView isInDrawer={false} place={place} transactionId={transactionId} />
    </div>
  )
}
