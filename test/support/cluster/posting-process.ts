/** A process that posts each line it reads, and prints a line only once a result is there. Made to be killed. */
import { createInterface } from 'node:readline'
import { openDatabase } from '../../../packages/server/src/platform/db.ts'
import { Secret } from '../../../packages/server/src/platform/secret.ts'
import { createPoster } from '../../../packages/server/src/testing/poster.ts'
import { resultOf } from '../load/customers.ts'
import { readPosting } from './posting-lines.ts'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const url = String((await lines.next()).value)
const db = openDatabase({
  url: new Secret(url),
  connectionsMax: 4,
  statementTimeoutMs: 60_000,
  onError: () => undefined,
})
const poster = createPoster(db.write)

/** A pipe takes the line before `write` returns, so a printed line survives whatever happens next. */
const print = (line: string) => process.stdout.write(`${line}\n`)

for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const { place, posting } = readPosting(line.value)
  void resultOf(poster.submit(posting)).then(
    (result) => print(`${place} ${result}`),
    (error) => print(`${place} fault ${error}`),
  )
}
await db.close()
