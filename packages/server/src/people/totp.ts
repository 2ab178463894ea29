import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// One-time codes by RFC 6238, as every authenticator app makes them: SHA-1, 6 digits, 30 seconds.

const stepSeconds = 30
const digits = 6
/** The apps' and our clocks may differ by one step each way. */
const driftSteps = 1
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 160 random bits in base 32, as apps take it. */
export function makeTotpSecret(): string {
  const bits = [...randomBytes(20)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet.charAt(Number.parseInt(five, 2))).join('')
}

export function totpUri(secret: string, email: string, issuer: string): string {
  const label = encodeURIComponent(`${issuer}:${email}`)
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

export const stepAt = (atMs: number) => Math.floor(atMs / 1000 / stepSeconds)

/** The code of a time step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decode(secret)).update(counter).digest()
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 0xf) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The time step that a code belongs to; undefined for a wrong code. The caller makes sure that no step is used twice. */
export function stepOfCode(secret: string, code: string, atMs: number): number | undefined {
  const sent = Buffer.from(code.replaceAll(/\s/g, ''))
  const steps = Array.from({ length: 2 * driftSteps + 1 }, (_, index) => stepAt(atMs) - driftSteps + index)
  const matching = steps.filter((step) => {
    const expected = Buffer.from(totpCode(secret, step))
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
  return matching[0]
}

function decode(secret: string): Buffer {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}
