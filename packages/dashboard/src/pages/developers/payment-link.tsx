import { Link } from '@tanstack/react-router'
import { buttonLook } from '../../ui/button-look.ts'
import { Icon } from '../../ui/icons.tsx'
import { usePlace } from '../use-place.ts'

export function PaymentLink({ transactionId }: { readonly transactionId: string }) {
  return (
    <Link
      className={buttonLook()}
      params={usePlace()}
      search={{ open: transactionId }}
      to="/m/$merchantId/$env/payments"
    >
      <Icon name="payments" />
      Open the payment
    </Link>
  )
}
