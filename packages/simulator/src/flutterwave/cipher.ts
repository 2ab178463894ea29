import { createDecipheriv } from 'node:crypto'

/** Decrypts the merchant's payload: 3DES, ECB, base64. Undefined when it cannot be decrypted or is not JSON. */
export function decrypt(key: string, text: string): unknown {
  try {
    const decipher = createDecipheriv('des-ede3', Buffer.from(key), null)
    const plain = Buffer.concat([decipher.update(text, 'base64'), decipher.final()])
    return JSON.parse(plain.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
