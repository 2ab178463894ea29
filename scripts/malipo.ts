/**
 * npm run malipo -- …: the command line from the sources. It finds the stack of npm run dev by itself. While that runs, the
 * commands that work on its database get its settings here, all of them: with DATABASE_URL the environment names another
 * installation, and settings of two installations are never mixed.
 */
import { findProjectStack } from '../packages/cli/src/dev-stack.ts'
import { devFolder } from '../packages/server/src/dev-stack/dev-folder.ts'

process.env['MALIPO_FOLDER'] ||= devFolder
const isInstallation = Boolean(process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE'])
const stack = isInstallation ? undefined : findProjectStack({ variables: process.env })
/** The command line takes these from the stack itself, by its own rules. */
const keys = [
  'MALIPO_URL',
  'MALIPO_PUBLIC_KEY',
  'MALIPO_API_KEY',
  'MALIPO_OPERATOR_PUBLIC_KEY',
  'MALIPO_OPERATOR_API_KEY',
]
for (const [name, value] of Object.entries(stack?.variables ?? {}))
  if (!keys.includes(name)) {
    process.env[name] = value ?? ''
    delete process.env[`${name}_FILE`]
  }
await import('../packages/cli/src/main.ts')
