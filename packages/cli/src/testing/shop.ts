import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type IntegratingMalipo, integratingMalipo } from '../../../server/src/testing/integrating.ts'
import type { CliEnvironment } from '../cli-environment.ts'
import { commandLine, type Seen } from './command-line.ts'

/** A merchant of a whole Malipo with its own home folder, and the program as the merchant's developer runs it. */
export interface Shop {
  readonly malipo: IntegratingMalipo
  readonly merchantId: string
  readonly home: string
  readonly variables: Readonly<Record<string, string>>
  run(...args: string[]): Promise<Seen>
  /** Same as `run`, with other variables or another environment. */
  as(variables: CliEnvironment['variables'], cli?: Partial<CliEnvironment>): (...args: string[]) => Promise<Seen>
  /** Writes a file into the home folder and returns its path. */
  file(name: string, text: string | Uint8Array): string
}

export async function openShop(t: TestContext): Promise<Shop> {
  const home = mkdtempSync(join(tmpdir(), 'malipo-shop-'))
  t.after(() => rmSync(home, { recursive: true }))
  const malipo = await integratingMalipo(t)
  const { id, publicKey, apiKey } = await malipo.merchant()
  const variables = { HOME: home, MALIPO_URL: malipo.url, MALIPO_PUBLIC_KEY: publicKey, MALIPO_API_KEY: apiKey }
  return {
    malipo,
    merchantId: id,
    home,
    variables,
    run: commandLine(variables),
    as: (others, cli) => commandLine({ ...variables, ...others }, cli),
    file: (name, text) => {
      writeFileSync(join(home, name), text)
      return join(home, name)
    },
  }
}
