/** What the pictures of docs/guides/dashboard.md show. scripts/tour.ts takes them. */
import type { Page } from 'playwright-core'

/** An owner of the demo's shop, or staff of the operator. */
export type Seat = 'owner' | 'staff'

export interface Picture {
  readonly name: string
  readonly seat: Seat
  /** Below the merchant and environment of an owner, below /dashboard for staff. */
  readonly path: string
  /** Of a phone. */
  readonly isNarrow?: boolean
  /** Returns when the page shows what the picture is about. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first().waitFor()

const firstPayment = async (page: Page) => {
  await page.locator('tbody tr').first().click()
  await page.getByRole('tab', { name: 'Money' }).waitFor()
}

export const pictures: readonly Picture[] = [
  { name: 'home', seat: 'owner', path: '', prepare: heading('Needs attention') },
  { name: 'payment', seat: 'owner', path: '/payments?status=successful&type=deposit', prepare: firstPayment },
  {
    ...{ name: 'money', seat: 'owner', path: '/payments?status=successful&type=deposit', isNarrow: true },
    prepare: async (page) => {
      await firstPayment(page)
      await page.getByRole('tab', { name: 'Money' }).click()
      await page.getByText('Difference').first().waitFor()
    },
  },
  { name: 'balances', seat: 'owner', path: '/balances', prepare: heading(/Statement/) },
  {
    ...{ name: 'payout', seat: 'owner', path: '/payouts/new' },
    prepare: async (page) => {
      await page.getByLabel('Pay to').selectOption({ index: 1 })
      await page.getByLabel('Beneficiary receives').fill('1500')
      await page.getByLabel('Your reference').fill('supplier-0093')
      await page.getByText('Available after').first().waitFor()
    },
  },
  { name: 'approvals', seat: 'owner', path: '/approvals', prepare: heading('Approvals') },
  { name: 'webhooks', seat: 'owner', path: '/developers?tab=webhooks', prepare: heading('Developers') },
  { name: 'operations', seat: 'staff', path: '/operator?env=sandbox', prepare: heading('Providers') },
  {
    ...{ name: 'doubt', seat: 'staff', path: '/operator?env=sandbox' },
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /^Open the payment/ })
        .first()
        .click()
      await heading('Decide')(page)
    },
  },
  { name: 'ledger', seat: 'staff', path: '/operator/ledger?env=sandbox', prepare: heading('Trial balance') },
]
