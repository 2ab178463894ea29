/** What npm run dev prints when the stack is ready. */
import { styleText } from 'node:util'
import type { SignInLink } from '../../packages/server/src/dev-stack/people.ts'
import { terminalQr } from './handset-link.ts'

interface Greeting {
  readonly exports: Readonly<Record<string, string>>
  readonly links: readonly SignInLink[]
  readonly folder: string
  /** The address of this machine in its network, where the stack listens too. */
  readonly lan: string | undefined
  /** Without it the links sign in, but there is no page to see. */
  readonly hasDashboard: boolean
}

const bold = (text: string) => styleText('bold', text)

export function greeting({ exports, links, folder, lan, hasDashboard }: Greeting): string {
  const { MALIPO_URL, MALIPO_PUBLIC_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY } = exports
  return `
${bold('Malipo is running')} at ${MALIPO_URL}
  API reference   ${MALIPO_URL}/docs
  dashboard       ${hasDashboard ? `${MALIPO_PUBLIC_URL}/dashboard` : 'not built; run npm run build:dashboard'}
  sign-in         ${MALIPO_PUBLIC_URL}/sign-in, after npm run malipo -- people invite --break-glass …
  logs            ${folder}/*.log
  all variables   ${folder}/env

${linkLines(links)}

${handsetLines(String(MALIPO_PUBLIC_URL), lan)}

${bold('Sandbox key pair')} of Duka Moja
  public key      ${MALIPO_PUBLIC_KEY}
  API key         ${MALIPO_API_KEY}

${bold('Your first calls')}
  TOKEN=$(curl -s ${MALIPO_URL}/api/b2b/auth/generate-bearer-token \\
    -H 'api-key: ${MALIPO_API_KEY}' \\
    -H 'content-type: application/json' \\
    -d '{"publicKey":"${MALIPO_PUBLIC_KEY}"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s ${MALIPO_URL}/api/b2b/fiat/deposit/momo -H "authorization: Bearer $TOKEN" \\
    -H 'content-type: application/json' \\
    -d '{"amount":100,"currency":"KES","phoneNumber":"+254703456789","externalReference":"order-1"}'
  curl -s ${MALIPO_URL}/api/b2b/transactions/order-1 -H "authorization: Bearer $TOKEN"

In another window:  npm run malipo -- listen

Stop with Ctrl-C; the data stays. npm run dev -- --fresh deletes all data and starts empty.
`
}

/** One person makes a change, the other approves it: open their links in two browsers, or one of them in a private window. */
export function linkLines(links: readonly SignInLink[]): string {
  const lines = links.map(({ name, role, isStaff, link }) => {
    return `  ${name}, ${isStaff ? 'operator' : 'Duka Moja'} ${role}\n    ${link}`
  })
  return [
    `${bold('Open the dashboard as')} (each link works once, for 15 minutes; npm run dev -- --links makes new ones)`,
    ...lines,
  ].join('\n')
}

/** The number of the first calls. It is after `#`, so that it is in no log. */
const customer = '+254703456789'

function handsetLines(publicUrl: string, lan: string | undefined): string {
  const site = lan === undefined ? publicUrl : `http://${lan}:${new URL(publicUrl).port}`
  const url = `${site}/handset#${customer}`
  const how =
    lan === undefined ? 'npm run dev -- --lan opens it to phones in your network' : 'for phones in your network'
  return [
    `${bold("The customer's phone")} of the sandbox, which pays or declines (${how})`,
    `  ${url}`,
    terminalQr(url),
  ].join('\n')
}
