import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileVariable } from '../../packages/server/src/config/settings-file.ts'
import { settings } from '../../packages/server/src/config.ts'

const simulatorPage = join(import.meta.dirname, '../../packages/simulator/README.md')

const ofMalipo: readonly { readonly name: string; readonly isSecret?: true }[] = Object.values(settings)
const known = new Set([
  fileVariable,
  ...ofMalipo.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])),
  ...(readFileSync(simulatorPage, 'utf8').match(/SIMULATOR_[A-Z_]+/g) ?? []),
])
/** NATS_URL is secret because it may hold a password; a URL without one is not secret. */
const secrets = new Set(
  ofMalipo.filter(({ isSecret, name }) => isSecret && name !== 'NATS_URL').map(({ name }) => name),
)

/** What is wrong with the settings that a file gives to Malipo or its simulator: unknown names, and secrets that are not files. */
export function settingProblems(given: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (!/^(MALIPO|DATABASE|NATS|SIMULATOR)_/.test(name)) return []
    if (!known.has(name)) return [`${name} is not a setting`]
    const isGiven = secrets.has(name) || (name.startsWith('SIMULATOR_') && /_(TOKEN|SECRET|HASH)$/.test(name))
    const isPassword = /:\/\/[^/]*:[^/]*@/.test(String(value))
    return isGiven || isPassword ? [`${name} is a secret and must be a file`] : []
  })
}
