/** Passkeys by the browser's own conversion from and to JSON. */

export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis && !/^[0-9.]+$|:/.test(location.hostname)

/** Asks the person's device to sign the server's challenge. */
export async function signWithPasskey(options: object): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  const made = await navigator.credentials.get({ publicKey })
  if (!(made instanceof PublicKeyCredential)) throw new Error('The device gave no passkey.')
  return made.toJSON()
}

/** What the device's refusal means to a person. */
export function passkeyWords(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'The device did not confirm. Try again, or use another way.'
  return error instanceof Error ? error.message : 'The device did not confirm.'
}
