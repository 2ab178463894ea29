import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { buttonLook } from '../../ui/button-look.ts'
import { Card } from '../../ui/card.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Figures } from '../../ui/figures.tsx'
import { Money } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { Page } from '../../ui/page.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { paymentQuery } from '../payments/payments-query.ts'

interface PayoutMadeProps {
  readonly place: Place
  readonly transactionId: string
  readonly onAnother: () => void
}

const followMs = 2000

/** What happens next, as the server explains it, until the payout has ended. */
export function PayoutMade({ place, transactionId, onAnother }: PayoutMadeProps) {
  const { data: payment } = useQuery({
    ...paymentQuery(place, transactionId),
    refetchInterval: ({ state }) => (state.data && state.data.status !== 'PENDING' ? false : followMs),
  })
  const isWaiting = payment?.stage === 'AWAITING_APPROVAL'
  return (
    <Page title={isWaiting ? 'Sent for approval' : 'Payout accepted'}>
      <Card className="max-w-[720px]">
        <div className="grid gap-4">
          {payment && (
            <>
              <div className="flex flex-wrap items-center gap-3">
                <Money amount={payment.amount} className="text-3xl" currency={payment.currency} isOut />
                <StatusBadge of={payment.stage} />
              </div>
              <Note look={isWaiting ? 'wait' : 'plain'}>
                <Sentence text={payment.explanation.sentence} />
              </Note>
              <Figures
                figures={[
                  { name: 'Beneficiary', value: payment.beneficiary.accountName },
                  { name: 'Account', value: payment.beneficiary.accountNumber },
                  { name: 'Your reference', value: payment.externalReference },
                  { name: 'Payment', value: <CopyText text={transactionId} what="Payment id" /> },
                ]}
              />
            </>
          )}
          <div className="flex flex-wrap gap-2">
            <Link
              className={buttonLook('primary')}
              params={place}
              search={{ open: transactionId }}
              to="/m/$merchantId/$env/payments"
            >
              Open the payment
            </Link>
            <Button onClick={onAnother}>Make another payout</Button>
          </div>
        </div>
      </Card>
    </Page>
  )
}
