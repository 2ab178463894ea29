import { imageProblems } from './compose.ts'

/** What is wrong with a Dockerfile. */
export function dockerfileProblems(text: string): string[] {
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
  const stages = new Set(lines.flatMap((line) => /^FROM \S+ AS (\S+)/.exec(line)?.[1] ?? []))
  const bases = lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? [])
  const defaults = new Map(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^ARG (\w+)=(\S*)/.exec(line) ?? []
      return name === undefined ? [] : [[name, value] as const]
    }),
  )
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')))
  const rules: readonly [boolean, string][] = [
    [last.some((line) => line === 'USER 65532:65532'), 'it does not run as 65532'],
    [
      last.some((line) => line.startsWith('ENTRYPOINT [')),
      'signals do not reach the entry point: it needs the form [..]',
    ],
    [!lines.some((line) => line.startsWith('ADD ')), 'ADD fetches and unpacks; use COPY'],
    [!lines.some((line) => /npm (install|i)\b/.test(line)), 'npm install ignores the lock file; use npm ci'],
    [!lines.some((line) => /^(ENV|ARG) .*(PASSWORD|SECRET|TOKEN|_KEY)/.test(line)), 'a secret is part of the image'],
    [!lines.some((line) => /^COPY \. /.test(line)), 'it copies the whole folder'],
  ]
  return [
    ...bases
      .filter((base) => base !== 'scratch' && !stages.has(base))
      .flatMap((base) => imageProblems(defaults.get(base.replaceAll(/[${}]/g, '')) ?? base)),
    ...rules.filter(([isKept]) => !isKept).map(([, problem]) => problem),
  ]
}
