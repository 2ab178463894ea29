// The stories of one file share one stack and one browser.
import './payouts.stories.ts'
import './bulk.stories.ts'
import './approvals.stories.ts'
import './balances.stories.ts'
