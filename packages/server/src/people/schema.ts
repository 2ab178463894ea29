import { Type } from 'typebox'

// Parts of people's requests and responses that several routes share.

export const tags = ['People']
export const Done = Type.Object({ success: Type.Literal(true) })
export const done = { success: true as const }

export const Password = Type.String({ minLength: 1, maxLength: 256, description: 'At least 12 characters' })
export const Code = Type.String({ minLength: 6, maxLength: 10, description: 'Six digits of the authenticator app' })
export const Ticket = Type.String({ minLength: 1, maxLength: 1000, description: 'From the start of the set-up' })
export const ChallengeId = Type.String({ minLength: 1, maxLength: 60, description: 'From the options' })
export const Email = Type.String({ minLength: 3, maxLength: 254 })
export const PasskeyName = Type.String({ minLength: 1, maxLength: 100, description: 'Such as the name of the device' })

/** Options for the browser's passkey functions, in the JSON form of WebAuthn Level 3. */
export const Options = Type.Object({
  success: Type.Literal(true),
  challenge: Type.String({ description: 'Send it back with the answer, within 5 minutes' }),
  options: Type.Object({}, { additionalProperties: true }),
})

const bytes = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' })
const shared = {
  id: bytes(1400),
  rawId: bytes(1400),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 30 })),
  clientExtensionResults: Type.Object({}, { additionalProperties: true }),
}

/** What the browser returns for a new passkey. */
export const Registration = Type.Object({
  ...shared,
  response: Type.Object({
    clientDataJSON: bytes(8000),
    attestationObject: bytes(16_000),
    authenticatorData: Type.Optional(bytes(8000)),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 30 }), { maxItems: 10 })),
    publicKeyAlgorithm: Type.Optional(Type.Integer()),
    publicKey: Type.Optional(bytes(8000)),
  }),
})

/** What the browser returns for a signature with a passkey. */
export const Assertion = Type.Object({
  ...shared,
  response: Type.Object({
    clientDataJSON: bytes(8000),
    authenticatorData: bytes(8000),
    signature: bytes(8000),
    userHandle: Type.Optional(bytes(200)),
  }),
})

/** An authenticator app that waits for its first code. */
export const TotpSetupResponse = Type.Object({
  success: Type.Literal(true),
  secret: Type.String({ description: 'In base 32, to type into the app' }),
  uri: Type.String({ description: 'Opens an authenticator app on a phone' }),
  qr: Type.Optional(
    Type.Object(
      { size: Type.Integer(), path: Type.String({ description: 'An SVG path of the dark modules' }) },
      { description: 'The uri as a QR code; leave four modules free around it' },
    ),
  ),
  ticket: Type.String({ description: 'Send it back with the first code, within 15 minutes' }),
})
