import type { CaseResult } from './run-case.ts'

const seconds = (ms: number) => (ms / 1000).toFixed(3)

/** The outcomes as JUnit XML, for CI systems. */
export function junit(endpoint: string, results: readonly CaseResult[]): string {
  const failures = results.filter(({ isPassed }) => !isPassed).length
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const counts = `tests="${results.length}" failures="${failures}" time="${time}"`
  const name = escaped(`malipo conformance of ${endpoint}`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="${name}" ${counts}>
${results.map(testcase).join('\n')}
  </testsuite>
</testsuites>
`
}

function testcase({ name, rule, isPassed, what, fix, durationMs }: CaseResult): string {
  const head = `    <testcase classname="${escaped(name)}" name="${escaped(rule)}" time="${seconds(durationMs)}"`
  if (isPassed) return `${head}/>`
  return `${head}>\n      <failure message="${escaped(what)}">${escaped(fix)}</failure>\n    </testcase>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
