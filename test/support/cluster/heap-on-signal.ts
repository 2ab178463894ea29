/**
 * Imported into a process of the service by a test: on SIGUSR2 it collects what is garbage, twice, and writes its heap to the
 * file that this module's own address names. The file has its name once it is whole.
 */
import { renameSync } from 'node:fs'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
setFlagsFromString('--heap-snapshot-string-limit=10000000') // A text is written whole, not its first thousand letters.
const collect = runInNewContext('gc') as () => void
const path = new URL(import.meta.url).searchParams.get('to') ?? ''

process.on('SIGUSR2', () => {
  collect()
  setImmediate(() => {
    collect()
    renameSync(writeHeapSnapshot(`${path}.part`), path)
  })
})
