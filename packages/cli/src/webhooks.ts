import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Desk } from './desk.ts'
import { whole } from './options.ts'
import type { Surroundings } from './program.ts'

interface VerifyOptions {
  readonly secret?: readonly string[]
  readonly secretFile?: string
  readonly header: readonly [name: string, value: string][]
  readonly bodyFile: string
  readonly tolerance: number
}

const variable = 'MALIPO_WEBHOOK_SECRET'

export function addWebhookCommands(program: Command, desk: Desk, around: Surroundings): void {
  program
    .command('webhooks')
    .description('what is sent to merchants')
    .command('verify')
    .description("check a webhook's signature and tell why it fails; exits with 1 when it does")
    .option(
      '--secret <whsec>',
      'whsec_…; may be given twice during a rotation',
      more<string>((text) => text),
    )
    .option('--secret-file <file>', 'a file with the secret')
    .requiredOption('--header <line>', "a header as it came, such as 'webhook-id: evt_…'; give all three", more(header))
    .requiredOption('--body-file <file>', 'the body, byte for byte as it came; /dev/stdin reads what is piped in')
    .option('--tolerance <seconds>', 'how old it may be', whole(0, 10 ** 9), 300)
    .addHelpText(
      'after',
      `
Secrets in an argument stay in the shell's history: better put one in ${variable} or in a file. Nothing is sent anywhere.

Example:
  malipo webhooks verify --secret-file secret.txt --body-file body.json \\
    --header 'webhook-id: evt_0193…' --header 'webhook-timestamp: 1763210000' --header 'webhook-signature: v1,K5oZ…'`,
    )
    .action(async (options: VerifyOptions, command: Command) => {
      const body = await contents(options.bodyFile, command)
      const secrets = await secretsOf(options, around, command)
      const { verifyWebhook } = await desk.server()
      const headers = Object.fromEntries(options.header)
      const verdict = verifyWebhook({ headers, body, secrets, now: new Date(), toleranceSeconds: options.tolerance })
      desk.say(verdict, () => (verdict.ok ? 'ok: the signature matches.' : `not ok: ${verdict.why}.`))
      if (!verdict.ok) throw Object.assign(new Error('The webhook must not be trusted.'), { name: 'WebhookRefused' })
    })
}

/** An option that may be given several times. */
function more<Value>(read: (text: string) => Value): (text: string, earlier?: Value[]) => Value[] {
  return (text, earlier = []) => [...earlier, read(text)]
}

function header(line: string): [string, string] {
  const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/s.exec(line) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It must be 'name: value'.")
  return [name.toLowerCase(), value.trim()]
}

async function secretsOf(options: VerifyOptions, around: Surroundings, command: Command): Promise<string[]> {
  const { secret: given, secretFile } = options
  if (given) return given.map((secret) => secret.trim())
  if (secretFile !== undefined)
    return (await contents(secretFile, command)).toString('utf8').split(/\s+/).filter(Boolean)
  const fromVariable = around.variables[variable]
  if (!fromVariable) command.error(`error: give a secret by --secret-file, ${variable} or --secret`, { exitCode: 2 })
  return (fromVariable ?? '').split(/\s+/).filter(Boolean)
}

async function contents(file: string, command: Command): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    return command.error(`error: ${file} cannot be read: ${(error as Error).message}`, { exitCode: 2 })
  }
}
