/** Two sides of a comparison, in the same unit. */
export interface Pair {
  readonly label: string
  readonly ours: number
  readonly theirs: number
}

const [width, labelWidth, valueWidth, barHeight, gap, top] = [720, 150, 110, 16, 14, 44] as const
const barsWidth = width - labelWidth - valueWidth

/** Horizontal bars, two for each pair, readable on light and on dark paper. */
export function barChart(
  title: string,
  unit: string,
  names: readonly [string, string],
  pairs: readonly Pair[],
): string {
  const most = Math.max(...pairs.flatMap(({ ours, theirs }) => [ours, theirs]))
  const lengthOf = (value: number) => Math.max(1, Math.round((value / most) * barsWidth))
  const rows = pairs.map(({ label, ours, theirs }, index) => {
    const y = top + index * (2 * barHeight + gap)
    const bar = (value: number, offset: number, name: string) =>
      `<rect class="${name}" x="${labelWidth}" y="${y + offset}" width="${lengthOf(value)}" height="${barHeight - 2}" rx="2"/>` +
      `<text x="${labelWidth + lengthOf(value) + 6}" y="${y + offset + 11}">${value.toLocaleString('en')}</text>`
    return `<text class="label" x="${labelWidth - 10}" y="${y + barHeight + 4}">${inXml(label)}</text>${bar(ours, 0, 'ours')}${bar(theirs, barHeight, 'theirs')}`
  })
  const height = top + pairs.length * (2 * barHeight + gap)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${inXml(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#57606a}.label{text-anchor:end}.title{font-weight:600}.ours{fill:#0a7d5a}.theirs{fill:#9aa4ae}@media(prefers-color-scheme:dark){text{fill:#b1bac4}.ours{fill:#2fb98a}.theirs{fill:#6e7781}}</style>
<text class="title" x="0" y="16">${inXml(title)}, ${inXml(unit)}</text>
<rect class="ours" x="${labelWidth}" y="24" width="10" height="10"/><text x="${labelWidth + 15}" y="33">${inXml(names[0])}</text>
<rect class="theirs" x="${labelWidth + 160}" y="24" width="10" height="10"/><text x="${labelWidth + 175}" y="33">${inXml(names[1])}</text>
${rows.join('\n')}
</svg>
`
}

const inXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
