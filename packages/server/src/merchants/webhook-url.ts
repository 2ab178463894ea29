import type { Environment } from '../platform/db.ts'

/** What is wrong with a webhook URL; its destination is checked when it is used. */
export function urlProblem(env: Environment, text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://shop.example.com/webhooks'
  if (/[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or line breaks'
  const { protocol, username, password } = new URL(text)
  if (protocol !== 'https:' && !(env === 'sandbox' && protocol === 'http:'))
    return env === 'live' ? 'must start with https://' : 'must start with https:// or http://'
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (text.includes('#')) return 'must not contain a fragment'
  return undefined
}
