import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Surroundings } from './surroundings.ts'

export interface SecretOptions {
  readonly secret?: readonly string[]
  readonly secretFile?: string
}

export const secretVariable = 'MALIPO_WEBHOOK_SECRET'

/** The options by which a webhook secret is given. */
export function withSecret(command: Command): Command {
  return command
    .option(
      '--secret <whsec>',
      'whsec_…; may be given twice during a rotation',
      many<string>((text) => text),
    )
    .option('--secret-file <file>', `a file with the secret; ${secretVariable} when left out`)
}

/** An option that may be given several times. */
export function many<Value>(read: (text: string) => Value): (text: string, earlier?: Value[]) => Value[] {
  return (text, earlier = []) => [...earlier, read(text)]
}

/** The secrets of an argument, else of a file, else of the environment. */
export async function secretsOf(options: SecretOptions, around: Surroundings, command: Command): Promise<string[]> {
  const { secret: given, secretFile } = options
  if (given) return given.map((secret) => secret.trim())
  if (secretFile !== undefined) return words((await contents(secretFile, command)).toString('utf8'))
  const fromVariable = words(around.variables[secretVariable] ?? '')
  if (fromVariable.length > 0) return fromVariable
  return command.error(`error: give a secret by --secret-file, ${secretVariable} or --secret`, { exitCode: 2 })
}

/** The first of them, which must be one that can sign. */
export async function oneSecret(options: SecretOptions, around: Surroundings, command: Command): Promise<string> {
  const [secret = ''] = await secretsOf(options, around, command)
  if (/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)) return secret
  return command.error('error: the secret must be whsec_ and base 64, as Malipo gave it', { exitCode: 2 })
}

const words = (text: string) => text.split(/\s+/).filter(Boolean)

export async function contents(file: string, command: Command): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    return command.error(`error: ${file} cannot be read: ${(error as Error).message}`, { exitCode: 2 })
  }
}
