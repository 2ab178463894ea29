import type { Source, Variables } from '../config/setting-sources.ts'
import { keyOf } from '../config/settings-file.ts'
import { readConfig, settings } from '../config.ts'
import type { Finding } from './doctor/checks.ts'
import { settingFindings } from './doctor/settings.ts'

export interface ConfigReport {
  readonly isValid: boolean
  /** The file of settings, if MALIPO_CONFIG names one. */
  readonly file: string | undefined
  /** Why no process starts: every reason, with what to do. */
  readonly problems: readonly string[]
  /** What is valid and still wrong. Known only when there is no problem. */
  readonly warnings: readonly Finding[]
  readonly settings: readonly SettingView[]
}

interface SettingView {
  readonly variable: string
  /** Its name in malipo.toml. */
  readonly key: string
  /** As text; a secret is hidden. */
  readonly value: string
  readonly source: Source
}

export function checkConfig(variables: Variables): ConfigReport {
  const reading = readConfig(variables)
  const { config, problems, found, path } = reading
  const findings = config ? settingFindings(config, reading, variables) : []
  return {
    isValid: config !== undefined,
    file: path,
    problems,
    warnings: findings.filter(({ health }) => health !== 'ok'),
    settings: [...found].map(([key, { source, text }]) => {
      const { name, isSecret = false } = settings[key] as { name: string; isSecret?: true }
      return { variable: name, key: keyOf(name), value: isSecret && text !== '' ? '[hidden]' : text, source }
    }),
  }
}
