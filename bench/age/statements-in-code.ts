/** Every statement in the product's source, with the name by which a person finds it: `file function`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Execution } from './capture.ts'

const source = join(import.meta.dirname, '../../packages/server/src')
/** These are for tests and development: no process of an installation runs them. */
const isProduct = (path: string) => !/(\.test\.ts$|^testing\/|^dev-stack\/)/.test(path)

interface Statement {
  /** Such as `transactions/read.ts findById`; a number follows where a function has several. */
  readonly name: string
  readonly text: string
}

/** Every statement of the source. */
export function statementsInCode(): Statement[] {
  const files = globSync('**/*.ts', { cwd: source }).filter(isProduct).sort()
  return files.flatMap((path) => statementsOf(path, readFileSync(join(source, path), 'utf8')))
}

/** Names of captured statements by text. One whose text is made while the product runs has the name of its caller. */
export function namesOf(captured: readonly Pick<Execution, 'text' | 'caller'>[]): ReadonlyMap<string, string> {
  const inCode = statementsInCode().map(({ text, name }) => [shapeOf(text), name] as const)
  const names = new Map([
    ...inCode.map(([shape, name]) => [onAddedEndpoints(shape), `${name} (added)`] as const),
    ...inCode,
  ])
  return new Map(captured.map(({ text, caller }) => [text, names.get(shapeOf(text)) ?? caller]))
}

/** A text without its values: the bounds of recent months are part of a text, in place of values. */
export const shapeOf = (text: string): string => text.replaceAll(/\$\d+|'[0-9a-f-]{36}'::uuid/g, '$')

function statementsOf(path: string, code: string): Statement[] {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true)
  const found: { place: string; text: string }[] = []
  const visit = (node: ts.Node) => {
    if (ts.isTaggedTemplateExpression(node)) {
      const tag = node.tag.getText(file)
      if (/(^|\.)sql$/.test(tag)) found.push({ place: functionOf(node), text: textOf(node.template) })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  const counts = new Map<string, number>()
  return found.map(({ place, text }) => {
    const count = (counts.get(place) ?? 0) + 1
    counts.set(place, count)
    return { name: `${path} ${place}${count > 1 ? ` ${count}` : ''}`, text }
  })
}

/** As platform/db.ts joins it. */
function textOf(template: ts.TemplateLiteral): string {
  if (!ts.isTemplateExpression(template)) return template.text
  const spans = template.templateSpans.map(({ literal }, index) => `$${index + 1}${literal.text}`)
  return template.head.text + spans.join('')
}

/** The same statement for added endpoints, which have tables of their own: see `sqlOn` in events/endpoint-tables.ts. */
const onAddedEndpoints = (text: string) => text.replace(/\b(?:webhook_endpoints|webhook_records)\b/g, 'added_$&')

/** The name of the function, or of the constant of a module, that holds a node. */
function functionOf(node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) return at.name?.getText() ?? 'default'
    if (ts.isVariableDeclaration(at) && ts.isSourceFile(at.parent.parent.parent)) return at.name.getText()
  }
  return 'module'
}
