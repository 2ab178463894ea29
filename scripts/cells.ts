/**
 * npm run cells -- CMD…: runs CMD beside two whole cells, 0 and 7, behind HAProxy. MALIPO_URL is HAProxy's; the second merchant is
 * of cell 7. Passes on the exit code of CMD and leaves nothing behind.
 */
import { startCells } from '../packages/server/src/dev-stack/cells.ts'
import { runBeside } from '../tools/dev/run-beside.ts'

process.exitCode = await runBeside(process.argv.slice(2), 'cells', startCells)
