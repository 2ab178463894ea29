import { publicHalfOf } from '../auth/token-signer.ts'
import type { Config, Found } from '../config.ts'

/** Keys of other cells that are keys of this cell. No problem repeats a value, which may be a private key. */
export function otherKeyProblems(found: Found): string[] {
  const keysIn = <Key extends keyof Config>(key: Key) => (found.get(key)?.value ?? []) as NonNullable<Config[Key]>
  const signing = keysIn('tokenKeys').map(({ id, key }) => ({ id, x: publicHalfOf(key) }))
  const secrets = [...keysIn('tokenKeys'), ...keysIn('secretKeys')].map(({ key }) => key.export().toString('base64url'))
  return keysIn('otherTokenKeys').flatMap(({ id, x }) => {
    const problems = [
      // A merchant that verifies a token looks for its key by the name alone.
      signing.some((own) => own.id === id) && `names a key ${id}, as MALIPO_TOKEN_KEYS does`,
      signing.some((own) => own.x === x) && `holds this cell's own key under the name ${id}`,
      secrets.includes(x) && `holds a private key of this cell under the name ${id}`,
    ]
    return problems.flatMap((problem) => (problem ? [`MALIPO_OTHER_TOKEN_KEYS ${problem}`] : []))
  })
}

/** Nothing prints a text that may hold a private key. */
export function withoutOtherKeys(found: Found): Found {
  const refused = found.get('otherTokenKeys')
  return refused ? new Map(found).set('otherTokenKeys', { ...refused, text: '' }) : found
}
