import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A passkey in memory that answers as a browser would, without one. */
export interface Authenticator {
  readonly id: string
  register(options: RegistrationOptions): object
  /** Each signature increases the counter, unless `counter` is given. */
  assert(options: { readonly challenge: string }, changes?: AssertionChanges): object
}

export interface RegistrationOptions {
  readonly challenge: string
  readonly user: { readonly id: string }
}

interface AssertionChanges {
  readonly origin?: string
  readonly counter?: number
  readonly isVerified?: boolean
}

const flags = { present: 0x01, verified: 0x04, attested: 0x40 }

export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  const rpIdHash = createHash('sha256').update(new URL(origin).hostname).digest()
  let counter = 0
  let userHandle = ''

  const dataOf = (bits: number, count: number, rest = Buffer.alloc(0)) => {
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(count)
    return Buffer.concat([rpIdHash, Buffer.from([bits]), counted, rest])
  }
  const clientData = (type: string, challenge: string, from = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const coordinate = (label: number, text: string) => [label, 0x58, 0x20, ...Buffer.from(text, 'base64url')]
  const shared = { id, rawId: id, type: 'public-key', clientExtensionResults: {} }
  return {
    id,
    register: ({ challenge, user }) => {
      userHandle = user.id
      const key = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, ...coordinate(0x21, x), ...coordinate(0x22, y)])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, key])
      const data = dataOf(flags.present | flags.verified | flags.attested, counter, attested)
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return {
        ...shared,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    assert: ({ challenge }, { origin: from, counter: count, isVerified = true } = {}) => {
      counter += 1
      const data = dataOf(flags.present | (isVerified ? flags.verified : 0), count ?? counter)
      const client = clientData('webauthn.get', challenge, from)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return {
        ...shared,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle,
        },
      }
    },
  }
}
