/**
 * A test imports this into a process of the service: on SIGUSR2 it collects garbage twice and writes its heap to the file named
 * in this module's own URL. The file gets its name once it is complete.
 */
import { renameSync } from 'node:fs'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
setFlagsFromString('--heap-snapshot-string-limit=10000000') // Strings are written whole, not cut at a thousand characters.
const collect = runInNewContext('gc') as () => void
const path = new URL(import.meta.url).searchParams.get('to') ?? ''

process.on('SIGUSR2', () => {
  collect()
  setImmediate(() => {
    collect()
    renameSync(writeHeapSnapshot(`${path}.part`), path)
  })
})
