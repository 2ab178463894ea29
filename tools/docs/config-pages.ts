/** docs/reference/config.md and docs/operating/doctor.md, from the table of settings and the table of checks. */
import type { Setting } from '../../packages/server/src/config/setting-sources.ts'
import { keyOf } from '../../packages/server/src/config/settings-file.ts'
import { settings } from '../../packages/server/src/config.ts'
import { checks } from '../../packages/server/src/operate/doctor/checks.ts'
import { note } from './reference-pages.ts'

const formWords = {
  text: 'text',
  'whole number': 'number',
  'whole number or text': 'number or text',
  list: 'list',
} as const

export function configPage(): string {
  const rows = Object.values(settings).map((setting: Setting<unknown>) => {
    const { name, about, read, fallback, isSecret } = setting
    const standard = fallback === undefined ? '**required**' : fallback === '' ? '' : `\`${fallback}\``
    const inFile = `\`${keyOf(name)}\`, ${formWords[read.form ?? 'text']}`
    return `| \`${name}\` | ${inFile} | ${standard} | ${isSecret ? 'yes' : ''} | ${about} |`
  })
  return `${note}

# Configuration

Settings are environment variables, or keys of one file, \`malipo.toml\`, whose path is in \`MALIPO_CONFIG\`. They are read once, at the
start. The environment wins over the file, the file over the default. A process that cannot use what it was given reports all problems
at once and exits with code 2. \`malipo config check\` reports the same without a start, with warnings; \`--show\` prints each setting with
its value and source.

## The file

The key of a setting is its variable without \`MALIPO_\`, in lower case. A table is only a shorter way to write keys: \`[pawapay]\` with
\`url\` is \`pawapay_url\`. A key that is not a setting, a key that is set twice and a value of another type are errors.

\`\`\`text
host = "0.0.0.0"
trusted_proxies = ["10.0.0.5"]
nats_url = ["nats://10.0.0.1:4222", "nats://10.0.0.2:4222"]
database_url_file = "/etc/malipo/secrets/database-url"

[pawapay]
url = "https://api.pawapay.io"
token_file = "/etc/malipo/secrets/pawapay-token"
requests_per_second = "50 charge=20 payout=30"

[rate_limit]
live = 200
\`\`\`

## Secrets

A secret can be in a file of its own. Its path is in a variable of the same name with \`_FILE\` at its end, such as \`DATABASE_URL_FILE\`, or
in a key with \`_file\`, where it starts at the folder of \`malipo.toml\`. A secret that one source gives in both ways is an error. So is
a \`malipo.toml\` with a secret that every user of the machine can read, and one that every user can change.

## Every setting

| variable | in malipo.toml | default | secret | what it is |
|---|---|---|---|---|
${rows.join('\n')}
`
}

export function doctorPage(): string {
  const rows = Object.entries(checks).map(([name, { health, meaning, remedy }]) => {
    const todo = `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`
    return `| ${name} | ${health === 'bad' ? 'FAIL' : 'WARN'} | ${meaning} | ${todo} |`
  })
  return `${note}

# The doctor

\`malipo doctor\` checks an installation from one of its machines, with the settings of its processes. It changes nothing. Each line has the
name of a check, what was found, what it means and what to do. A \`FAIL\` loses money, security or the service, and gives exit code 5. A
\`WARN\` is a risk that an operator may accept. Run it after the installation, after each change of a setting or a server, and when an
alert fires. \`malipo config check\` makes the checks of the settings alone, without a connection.

A login without rights of its own, as Malipo uses, cannot see which standby is the synchronous one: the doctor counts the connected ones.
Where the severity depends on the case, these are a \`WARN\`: \`synchronous_commit = remote_write\`, an old, failed or missing backup without
live providers, a NATS that is not configured and does not respond, and a first secret key without \`v2\`. A required standby that is missing
is a \`FAIL\`.

| check | severity | what a failure means | what to do |
|---|---|---|---|
${rows.join('\n')}
`
}
