/** Reads the rule files of deploy/prometheus, which are written in one form: a line for each field of an alert. */

export interface Alert {
  readonly name: string
  readonly group: string
  readonly expr: string
  readonly for: string
  readonly severity: string
  readonly summary: string
  /** The page and the section. */
  readonly runbook: string
}

export function readAlerts(text: string): Alert[] {
  return text.split(/^ {2}- name: /m).flatMap((part) => {
    const group = part.split('\n', 1)[0] ?? ''
    return part
      .split(/^ {6}- alert: /m)
      .slice(1)
      .map((rule) => readAlert(group, rule))
  })
}

function readAlert(group: string, rule: string): Alert {
  const field = (name: string) => {
    const [, value] = new RegExp(`^ +${name}: (.*)$`, 'm').exec(rule) ?? []
    if (value === undefined) throw new Error(`the alert ${rule.split('\n', 1)[0]} has no line for ${name}`)
    return value.replace(/^'(.*)'$/, '$1').replaceAll("''", "'")
  }
  const fields = { expr: field('expr'), for: field('for'), severity: field('severity'), summary: field('summary') }
  return { name: rule.split('\n', 1)[0] ?? '', group, ...fields, runbook: field('runbook') }
}

/** The names that recording rules define. */
export const recordedIn = (text: string) => [...text.matchAll(/^ +- record: (\S+)$/gm)].map(([, name = '']) => name)

/** The metrics and recorded series that a rule file or a dashboard names, without the suffixes of histograms. */
export function seriesIn(text: string): { readonly metrics: string[]; readonly recorded: string[] } {
  const metrics = [...text.matchAll(/\bmalipo_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''))
  const recorded = [...text.matchAll(/\bmalipo:[\w:]+/g)].map(([name]) => name)
  return { metrics: [...new Set(metrics)].sort(), recorded: [...new Set(recorded)].sort() }
}
