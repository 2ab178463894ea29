/** A token of the stack's first sandbox merchant. */
export async function tokenOf(exports: Readonly<Record<string, string>>): Promise<string> {
  const { MALIPO_URL = '', MALIPO_PUBLIC_KEY = '', MALIPO_API_KEY = '' } = exports
  const exchanged = await fetch(`${MALIPO_URL}/api/b2b/auth/generate-bearer-token`, {
    method: 'POST',
    headers: { 'api-key': MALIPO_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ publicKey: MALIPO_PUBLIC_KEY }),
  })
  const { token } = (await exchanged.json()) as { token: string }
  return token
}
