/** The info strings of code fences in our documents; doc-blocks.ts lists the allowed ones. */
import { spawnSync } from 'node:child_process'
import { basename } from 'node:path'
import type { SourceFile } from '../checks/tidy.ts'
import { type Fence, fencesOf, withoutCode } from './markdown.ts'

const languages = new Set(['sh', 'js', 'ts', 'json', 'text', 'sql', 'conf'])
const programs = new Set(['sh', 'js', 'ts'])

export const pagesOf = (tree: readonly SourceFile[]) => tree.filter(({ path }) => path.endsWith('.md'))

export const place = ({ path }: SourceFile, { line }: Fence) => `${path}:${line}`

/** Problems of a page's code before any of it runs. */
export function fenceProblems(page: SourceFile, tree: readonly SourceFile[]): string[] {
  const indented = [...withoutCode(page.text).matchAll(/(?:^|\n)\n {4}(?! *[-*\d|])(\S.*)/g)]
  return [
    ...indented.map(([, line]) => `${page.path} has code without a fence: ${line}`),
    ...fencesOf(page.text).flatMap((fence) =>
      problemsOf(page, fence, tree).map((what) => `${place(page, fence)} ${what}`),
    ),
  ]
}

function problemsOf(page: SourceFile, fence: Fence, tree: readonly SourceFile[]): string[] {
  const { language, words, options } = fence
  if (!languages.has(language)) return [`says it is '${language}', which is not a known language`]
  const reason = options.get('skip')
  if (reason !== undefined) return [...reasonProblems(reason, tree), ...syntaxOf(fence)]
  const names = namesOf(words)
  if (programs.has(language) && names.length > 0)
    return names.flatMap((name) =>
      isRunElsewhere(page, name, tree) ? syntaxOf(fence) : [`is not run by any test as '${name}'`],
    )
  if (language === 'sql' || language === 'conf')
    return isOpenedElsewhere(page, tree) ? [] : [`is ${language} that no test runs: give it skip="why"`]
  return syntaxOf(fence)
}

/** A file named in a reason must exist. */
function reasonProblems(reason: string, tree: readonly SourceFile[]): string[] {
  const named = reason.match(/[\w./-]+\.ts\b/g) ?? []
  const gone = named.filter((name) => !tree.some(({ path }) => path === name))
  return [
    ...(reason === '' ? ['is skipped without a reason'] : []),
    ...gone.map((name) => `is left to ${name}, which is not there`),
  ]
}

function syntaxOf({ language, text }: Fence): string[] {
  if (language === 'sh') {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
    return status === 0 ? [] : [`is not a shell script: ${stderr.trim()}`]
  }
  if (language === 'json') return parseJson(text) === undefined ? ['is not JSON'] : []
  return []
}

const runners = (tree: readonly SourceFile[]) =>
  tree.filter(({ path }) => /^(test|scripts|tools)\/.*\.ts$/.test(path) && !path.startsWith('tools/docs/doc-'))

function isOpenedElsewhere({ path }: SourceFile, tree: readonly SourceFile[]): boolean {
  return runners(tree).some(({ text }) => text.includes(`'${basename(path)}'`))
}

function isRunElsewhere({ path }: SourceFile, name: string, tree: readonly SourceFile[]): boolean {
  return runners(tree).some(({ text }) => text.includes(`'${basename(path)}'`) && text.includes(`'${name}'`))
}

/** The blocks of a page that are run or compared here, in order. */
export function stepsOf({ text }: SourceFile): Fence[] {
  return joined(fencesOf(text).filter(isHere))
}

export const isProgram = ({ language }: Fence) => programs.has(language)

/** JavaScript that follows JavaScript continues in the same program. */
function joined(fences: readonly Fence[]): Fence[] {
  const steps: Fence[] = []
  for (const fence of fences) {
    const last = steps.at(-1)
    const isMore = last !== undefined && isJavaScript(last) && isJavaScript(fence) && last.language === fence.language
    if (isMore) steps[steps.length - 1] = { ...fence, text: `${last.text}\n${fence.text}` }
    else steps.push(fence)
  }
  return steps
}

/** Runs in place. */
const isJavaScript = ({ language, options }: Fence) => /^[jt]s$/.test(language) && !options.has('title')

/** Words that are not options of this script are names under which another script runs the block. */
const namesOf = (words: readonly string[]) => words.filter((word) => word !== 'again')

function isHere({ language, words, options }: Fence): boolean {
  if (options.has('skip')) return false
  return programs.has(language) ? namesOf(words).length === 0 : language === 'json' || words.includes('printed')
}

export function parseJson(text: string): unknown {
  try {
    const document: unknown = JSON.parse(text)
    return typeof document === 'object' ? document : undefined
  } catch {
    return undefined
  }
}
