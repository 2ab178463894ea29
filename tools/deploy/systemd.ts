import { settingProblems } from './settings.ts'

/** What is wrong with the settings of a unit: unknown ones, and files of secrets that the unit does not load. */
export function unitProblems(text: string): string[] {
  const valuesOf = (key: string) => [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const given = Object.fromEntries(valuesOf('Environment').map((line) => line.split(/=(.*)/s).slice(0, 2)))
  const loaded = valuesOf('LoadCredential').map((line) => line.split(':')[0])
  const missing = Object.entries(given).filter(([name, path]) => {
    const credential = /^%d\/(.*)$/.exec(String(path))?.[1]
    return name.endsWith('_FILE') && !loaded.includes(credential)
  })
  return [
    ...settingProblems(given),
    ...missing.map(([name, path]) => `${name} is ${path}, which the unit does not load`),
  ]
}
