import { type SankeyNode, sankey, sankeyJustify, sankeyLinkHorizontal } from 'd3-sankey'
import { useWidth } from '../use-width.ts'

export interface SankeyPart {
  readonly name: string
  readonly amount: number
  readonly text: string
  readonly colour: string
}

interface MoneySankeyProps {
  readonly label: string
  readonly wallet: string
  readonly sources: readonly SankeyPart[]
  readonly targets: readonly SankeyPart[]
}

interface Node {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly colour: string
  readonly side: 'in' | 'wallet' | 'out'
}

/** Two lines of text fit beside the thinnest node. */
const padding = 34
const rowHeight = 58
const edge = { x: 200, y: 16 }

/** Where money came from, through one wallet, and where it went. Widths are to scale. */
export function MoneySankey({ label, wallet, sources, targets }: MoneySankeyProps) {
  const [ref, width] = useWidth<HTMLDivElement>(800)
  const height = Math.max(sources.length, targets.length, 3) * rowHeight + 2 * edge.y
  const { nodes, links } = layoutOf({ wallet, sources, targets, width, height })
  const pathOf = sankeyLinkHorizontal<Node, object>()
  return (
    <div ref={ref}>
      <svg aria-label={label} className="block" height={height} role="img" width={width}>
        {links.map((link) => (
          <path
            d={pathOf(link) ?? ''}
            fill="none"
            key={`${nodeOf(link.source).id} ${nodeOf(link.target).id}`}
            opacity={0.32}
            stroke={nodeOf(nodeOf(link.source).side === 'in' ? link.source : link.target).colour}
            strokeWidth={Math.max(1, link.width ?? 1)}
          />
        ))}
        {nodes.map((node) => (
          <NodeMark key={node.id} node={node} />
        ))}
      </svg>
    </div>
  )
}

type Placed = SankeyNode<Node, object>

const nodeOf = (end: unknown) => end as Placed

function layoutOf({
  wallet,
  sources,
  targets,
  width,
  height,
}: Omit<MoneySankeyProps, 'label'> & { width: number; height: number }) {
  const middle: Node = { id: 'wallet', name: wallet, text: '', colour: 'var(--ink-2)', side: 'wallet' }
  const ends = (side: 'in' | 'out', parts: readonly SankeyPart[]) =>
    parts.map(({ name, text, colour }): Node => ({ id: `${side} ${name}`, name, text, colour, side }))
  const links = [
    ...sources.map(({ name, amount }) => ({ source: `in ${name}`, target: 'wallet', value: amount })),
    ...targets.map(({ name, amount }) => ({ source: 'wallet', target: `out ${name}`, value: amount })),
  ]
  return sankey<Node, object>()
    .nodeId(({ id }) => id)
    .nodeAlign(sankeyJustify)
    .nodeSort(null)
    .nodeWidth(10)
    .nodePadding(padding)
    .extent([
      [edge.x, edge.y],
      [width - edge.x, height - edge.y],
    ])({ nodes: [...ends('in', sources), middle, ...ends('out', targets)], links })
}

function NodeMark({ node }: { readonly node: Placed }) {
  const { x0 = 0, x1 = 0, y0 = 0, y1 = 0, name, text, colour, side } = node
  const middle = (y0 + y1) / 2
  const at = {
    in: { x: x0 - 10, anchor: 'end' },
    wallet: { x: x1 + 8, anchor: 'start' },
    out: { x: x1 + 10, anchor: 'start' },
  } as const
  const { x, anchor } = at[side]
  return (
    <g>
      <rect fill={colour} height={Math.max(2, y1 - y0)} rx={2} width={x1 - x0} x={x0} y={y0} />
      <text
        fill="var(--ink)"
        fontSize={12}
        fontWeight={500}
        textAnchor={anchor}
        x={x}
        y={middle + (text === '' ? 4 : -2)}
      >
        {name}
      </text>
      {text !== '' && (
        <text fill="var(--ink-3)" fontSize={11} textAnchor={anchor} x={x} y={middle + 12}>
          {text}
        </text>
      )}
    </g>
  )
}
