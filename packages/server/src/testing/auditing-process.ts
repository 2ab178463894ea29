/** A process that appends entries to the audit trail, several at a time. Arguments: database, subject, count. */
import { recordAudit } from '../audit/record.ts'
import { auditEntry } from './auditing.ts'
import { openTestDatabase } from './ledger.ts'

const [url = '', subject = '', count = '0'] = process.argv.slice(2)
const db = openTestDatabase(url)
let left = Number(count)

const append = async () => {
  while (left > 0) {
    left -= 1
    await db.write.transaction((tx) => recordAudit(tx, 0, auditEntry({ subject })))
  }
}

await Promise.all(Array.from({ length: 6 }, append))
await db.close()
