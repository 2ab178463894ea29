/**
 * npm run stack -- CMD…: runs CMD beside a separate whole Malipo and passes on its exit code. Leaves nothing behind, however it
 * ends.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../packages/server/src/dev-stack/stack.ts'
import { runBeside } from '../tools/dev/run-beside.ts'

process.exitCode = await runBeside(process.argv.slice(2), 'stack', () =>
  startStack(mkdtempSync(join(tmpdir(), 'malipo-stack-')), { isKept: false }),
)
