/**
 * The drawing "how a payment runs", once wide and once for a phone, each for a light and a dark page. `npm run generate` writes the four
 * files, so that their words cannot differ.
 */

const themes = {
  light: {
    page: '#ffffff',
    ink: '#14221c',
    soft: '#4d5f56',
    edge: '#b9ccc1',
    box: '#f7faf8',
    step: '#e2f2e9',
    out: '#0b6e4f',
    back: '#8f4c00',
  },
  dark: {
    page: '#0d1512',
    ink: '#eef5f1',
    soft: '#a8bab0',
    edge: '#3c5046',
    box: '#15201b',
    step: '#123427',
    out: '#55cf9f',
    back: '#f0b35e',
  },
} as const

type Colours = (typeof themes)[keyof typeof themes]

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Step {
  readonly title: string
  readonly lines: readonly string[]
}

const steps = [
  { title: '1  Accept', lines: ['The payment is on disk', 'before you get a response.'] },
  { title: '2  Send', lines: ['Each attempt has one key.', 'A retry is the same payment.'] },
  { title: '3  Book', lines: ['Every movement is a transfer', 'between two accounts.'] },
  { title: '4  Notify', lines: ['Signed webhooks, retried', 'for three days, and a feed.'] },
] as const satisfies readonly Step[]

export const diagramAlt =
  'Your server sends a charge or a payout to Malipo. Malipo accepts it, sends it to the provider, books the result that the provider reports, and notifies your server by webhook.'

export function diagrams(): Map<string, string> {
  const drawings = Object.entries(themes).flatMap(([theme, colours]) => [
    [`docs/malipo-${theme}.svg`, frame(1080, 300, colours, wide())] as const,
    [`docs/malipo-narrow-${theme}.svg`, frame(360, 760, colours, narrow())] as const,
  ])
  return new Map(drawings)
}

function frame(width: number, height: number, colours: Colours, body: readonly string[]): string {
  const { page, ink, soft, edge, box, step, out, back } = colours
  const arrow = (id: string, fill: string) =>
    `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 10 5 0 10z" fill="${fill}"/></marker>`
  const fonts = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif"
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${diagramAlt}" font-family="${fonts}">
<style>
.box{fill:${box};stroke:${edge};stroke-width:1.5}.step{fill:${step};stroke:${out};stroke-width:1.5}
.title{fill:${ink};font-size:17px;font-weight:650}.text{fill:${ink};font-size:15px}.soft{fill:${soft};font-size:14px}
.out{fill:none;stroke:${out};stroke-width:2}.back{fill:none;stroke:${back};stroke-width:2;stroke-dasharray:6 4}
</style>
<defs>${arrow('to', out)}${arrow('fro', back)}</defs>
<rect width="${width}" height="${height}" rx="14" fill="${page}"/>
${body.join('\n')}
</svg>
`
}

function wide(): string[] {
  const [accept, send, book, notify] = steps
  return [
    panel({ x: 250, y: 8, width: 580, height: 284 }, 'Malipo, on your machines'),
    ...actor({ x: 4, y: 60, width: 132, height: 196 }, 'Your server', ['API, SDK or', 'command line']),
    ...actor({ x: 944, y: 60, width: 132, height: 196 }, 'Provider', ['mobile money', 'cards', 'banks']),
    ...stepBox({ x: 268, y: 52, width: 258, height: 96 }, accept),
    ...stepBox({ x: 554, y: 52, width: 258, height: 96 }, send),
    ...stepBox({ x: 554, y: 176, width: 258, height: 96 }, book),
    ...stepBox({ x: 268, y: 176, width: 258, height: 96 }, notify),
    ...arrows('out', ['M136 100H266', 'M526 100H552', 'M812 100H942']),
    ...arrows('back', ['M944 224H814', 'M554 224H528', 'M268 224H138']),
    middle(193, 90, 'charge, payout'),
    middle(887, 90, 'submit, query'),
    middle(193, 214, 'webhook'),
    middle(887, 214, 'callback'),
  ]
}

function narrow(): string[] {
  const [accept, send, book, notify] = steps
  const at = (y: number): Box => ({ x: 22, y, width: 292, height: 92 })
  const side = (y: number): Box => ({ x: 50, y, width: 236, height: 58 })
  return [
    panel({ x: 8, y: 108, width: 320, height: 252 }, 'Malipo'),
    panel({ x: 8, y: 498, width: 320, height: 252 }, 'Malipo'),
    ...actor(side(10), 'Your server', ['API, SDK or command line']),
    ...stepBox(at(144), accept),
    ...stepBox(at(254), send),
    ...actor(side(400), 'Provider', ['mobile money, cards, banks']),
    ...stepBox(at(534), book),
    ...stepBox(at(644), notify),
    ...arrows('out', ['M168 68V142', 'M168 236V252', 'M168 346V398']),
    ...arrows('back', ['M168 458V532', 'M168 626V642']),
    '<path class="back" d="M314 690H346V39H288" marker-end="url(#fro)"/>',
    '<text class="soft" x="156" y="94" text-anchor="end">charge, payout</text>',
    '<text class="soft" x="180" y="384">submit, query</text>',
    '<text class="soft" x="180" y="484">callback</text>',
    '<text class="soft" x="336" y="94" text-anchor="end">webhook</text>',
  ]
}

const rect = (name: string, { x, y, width, height }: Box) =>
  `<rect class="${name}" x="${x}" y="${y}" width="${width}" height="${height}" rx="12"/>`

const middle = (x: number, y: number, text: string, name = 'soft') =>
  `<text class="${name}" x="${x}" y="${y}" text-anchor="middle">${text}</text>`

const arrows = (name: 'out' | 'back', paths: readonly string[]) =>
  paths.map((path) => `<path class="${name}" d="${path}" marker-end="url(#${name === 'out' ? 'to' : 'fro'})"/>`)

function panel(box: Box, label: string): string {
  return `${rect('box', box)}<text class="soft" x="${box.x + 18}" y="${box.y + 26}">${label}</text>`
}

function actor(box: Box, title: string, lines: readonly string[]): string[] {
  const centre = box.x + box.width / 2
  const top = box.y + box.height / 2 - lines.length * 10
  return [
    rect('box', box),
    middle(centre, top + 4, title, 'title'),
    ...lines.map((line, index) => middle(centre, top + 26 + index * 20, line)),
  ]
}

function stepBox(box: Box, { title, lines }: Step): string[] {
  return [
    rect('step', box),
    `<text class="title" x="${box.x + 18}" y="${box.y + 31}" xml:space="preserve">${title}</text>`,
    ...lines.map((line, index) => `<text class="text" x="${box.x + 18}" y="${box.y + 56 + index * 20}">${line}</text>`),
  ]
}
