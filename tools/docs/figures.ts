/**
 * Figures shown on one page and measured on another. README.md marks its tables with `<!-- figures PAGE -->`: every number in them must be
 * on that page with the same unit, and every command too.
 */

interface FigureTable {
  /** The page that has the measured figures. */
  readonly page: string
  readonly text: string
}

export function figureTables(text: string): FigureTable[] {
  const marked = text.matchAll(/<!-- figures (\S+) -->\n([\s\S]*?)<!-- end -->/g)
  return [...marked].map(([, page = '', table = '']) => ({ page, text: table.split('\n').slice(2).join('\n') }))
}

/** Numbers with their units, and commands, that are in the text and not on the page. */
export function strangeFigures(text: string, page: string): string[] {
  const plain = page.replaceAll('**', '').replaceAll(/\s+/g, ' ')
  const commands = [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command)
  const prose = text.replaceAll(/`[^`]*`/g, '')
  const figures = [...prose.matchAll(/(?<![\w,.-])\d[\d,.]*(?: ?%| \p{L}+)?/gu)].map(([found]) =>
    found.replace(/[,.]$/, ''),
  )
  return [
    ...commands.filter((command) => !plain.includes(command)),
    ...figures.filter((figure) => !hasFigure(plain, figure)),
  ]
}

function hasFigure(page: string, figure: string): boolean {
  const exact = figure.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\w,.])${exact}(?![\\w]|[,.]\\d)`).test(page)
}
