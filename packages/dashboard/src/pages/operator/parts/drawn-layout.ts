/** Where the accounts and arrows of drawn entries stand. */

export interface DrawnEntry {
  readonly number: number
  readonly kind: 'hold' | 'post' | 'void' | 'transfer'
  readonly event: string
  readonly debit: string
  readonly credit: string
  readonly amount: string
  readonly currency: string
}

export interface Box {
  readonly name: string
  readonly x: number
  readonly y: number
}

export interface Arrow extends DrawnEntry {
  readonly from: Box
  readonly to: Box
}

export interface Drawing {
  readonly currency: string
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
  readonly width: number
  readonly height: number
}

export const box = { width: 164, height: 46 } as const
const gap = { x: 132, y: 22 } as const
const edge = { x: 14, top: 34, bottom: 20 } as const

/** One drawing for each currency: an entry never has two. */
export function drawingsOf(entries: readonly DrawnEntry[]): Drawing[] {
  const byCurrency = Map.groupBy(latest(entries), ({ currency }) => currency)
  return [...byCurrency].map(([currency, some]) => drawingOf(currency, some))
}

/** A hold and its end have one number, and are one arrow: the last state of it. */
const latest = (entries: readonly DrawnEntry[]) => [
  ...new Map(entries.map((entry) => [`${entry.number} ${entry.debit} ${entry.credit}`, entry])).values(),
]

function drawingOf(currency: string, entries: readonly DrawnEntry[]): Drawing {
  const columns = columnsOf(entries)
  const rows = new Map<number, number>()
  const boxes = new Map(
    [...columns].map(([name, column]) => {
      const row = rows.get(column) ?? 0
      rows.set(column, row + 1)
      const x = edge.x + column * (box.width + gap.x)
      return [name, { name, x, y: edge.top + row * (box.height + gap.y) }]
    }),
  )
  const arrows = entries.flatMap((entry) => {
    const [from, to] = [boxes.get(entry.debit), boxes.get(entry.credit)]
    return from && to ? [{ ...entry, from, to }] : []
  })
  const width = edge.x * 2 + Math.max(...columns.values()) * (box.width + gap.x) + box.width
  const height = edge.top + Math.max(...rows.values()) * (box.height + gap.y) - gap.y + edge.bottom
  return { currency, boxes: [...boxes.values()], arrows, width, height }
}

/** Money flows from left to right: an account stands one column after those that it gets money from, as far as there is no circle. */
function columnsOf(entries: readonly DrawnEntry[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>()
  for (const { debit, credit } of entries) {
    const from = columns.get(debit) ?? 0
    columns.set(debit, from)
    if (!columns.has(credit)) columns.set(credit, from + 1)
  }
  return columns
}
