/**
 * npm run malipo -- …: the command line from the sources. It finds the stack of npm run dev by itself; the settings that the
 * operator's commands read are loaded here, unless the environment has them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { devFolder } from '../packages/server/src/dev-stack/dev-folder.ts'

process.env['MALIPO_FOLDER'] ||= devFolder
const path = join(devFolder, 'env')
const settings = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {}
const ofMerchant = ['MALIPO_URL', 'MALIPO_PUBLIC_KEY', 'MALIPO_API_KEY']
for (const [name, value] of Object.entries(settings)) if (!ofMerchant.includes(name)) process.env[name] ??= value ?? ''
await import('../packages/cli/src/main.ts')
