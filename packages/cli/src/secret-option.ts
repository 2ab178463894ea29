import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'

export interface SecretOptions {
  readonly secretFile?: string
}

export const secretVariable = 'MALIPO_WEBHOOK_SECRET'

/** The option for a webhook secret is a file: an argument would be in the process list and in the shell's history. */
export function withSecret(command: Command): Command {
  return command.option(
    '--secret-file <file>',
    `file with the secret, or with two during a rotation; default: ${secretVariable}`,
  )
}

/** An option that may be given several times. */
export function many<Value>(read: (text: string) => Value): (text: string, earlier?: Value[]) => Value[] {
  return (text, earlier = []) => [...earlier, read(text)]
}

/** The secrets from the file, otherwise from the environment. */
export async function secretsOf(options: SecretOptions, cli: CliEnvironment, command: Command): Promise<string[]> {
  const { secretFile } = options
  if (secretFile !== undefined) return words((await contents(secretFile, command)).toString('utf8'))
  const fromVariable = words(cli.variables[secretVariable] ?? '')
  if (fromVariable.length > 0) return fromVariable
  return command.error(`error: no secret given; use --secret-file or set ${secretVariable}`, { exitCode: 2 })
}

/** The first secret, which must be valid for signing. */
export async function oneSecret(options: SecretOptions, cli: CliEnvironment, command: Command): Promise<string> {
  const [secret = ''] = await secretsOf(options, cli, command)
  if (/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)) return secret
  return command.error('error: invalid secret; it must be whsec_ followed by base 64', { exitCode: 2 })
}

const words = (text: string) => text.split(/\s+/).filter(Boolean)

export async function contents(file: string, command: Command): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    return command.error(`error: ${file} cannot be read: ${(error as Error).message}`, { exitCode: 2 })
  }
}
