/** npm run malipo -- …: the operator's commands; on the stack of npm run dev unless the environment names another. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { devFolder } from '../packages/server/src/dev-stack/dev-folder.ts'

const variables = join(devFolder, 'env')
if (existsSync(variables)) process.loadEnvFile(variables)
await import('../packages/cli/src/main.ts')
