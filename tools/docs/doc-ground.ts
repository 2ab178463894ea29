/** Where the code of our documents runs: a stack, and a separate merchant for every page. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../../packages/server/src/dev-stack/stack.ts'
import { openOperator } from '../../packages/server/src/operate/operator.ts'
import type { SourceFile } from '../checks/tidy.ts'
import { stepsOf } from './doc-fences.ts'

const root = join(import.meta.dirname, '../..')

export interface Ground {
  /** A reader's environment: the URL, a key pair, and a receiver. Operators' pages get an operator's environment. */
  newReader(): Promise<Record<string, string>>
  stop(): Promise<void>
}

export async function openGround(): Promise<Ground> {
  const stack = await startStack(mkdtempSync(join(tmpdir(), 'malipo-docs-')), { isKept: false })
  const operator = openOperator(stack.exports, 'docs')
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end('ok')))
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const WEBHOOK_URL = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`
  let count = 0
  return {
    newReader: async () => {
      count += 1
      const who = { name: `Reader ${count}`, firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
      const { id } = await operator.merchants.create({ ...who, email: `reader-${count}@example.com` })
      const { publicKey, apiKey } = await operator.keys.create(id, { env: 'sandbox' })
      const keys = { MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey }
      return { ...stack.exports, ...keys, MERCHANT: id, WEBHOOK_URL }
    },
    stop: async () => {
      await operator.close()
      await stack.stop()
      receiver.closeAllConnections()
      receiver.close()
    },
  }
}

const options = {
  strict: true,
  noEmit: true,
  target: 'esnext',
  module: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
}

/** Compiler output for the TypeScript on our pages, in a strict project like a reader's. */
export function typeProblems(pages: readonly SourceFile[]): string {
  const blocks = pages.flatMap((page) => stepsOf(page).map((fence) => ({ ...fence, path: page.path })))
  const programs = blocks.filter(({ language }) => language === 'ts')
  if (programs.length === 0) return ''
  const folder = mkdtempSync(join(tmpdir(), 'malipo-doc-types-'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['@malipo', '@types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  const compilerOptions = { ...options, allowImportingTsExtensions: true }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  for (const { path, line, text } of programs)
    writeFileSync(join(folder, `${path.replaceAll('/', '-')}-line-${line}.ts`), text)
  const { stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], {
    cwd: folder,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return stdout
}
