/** The server's words without what the place on the screen already says: `amount: M-Pesa takes whole amounts only`. */
export function plainMessage(message: string): string {
  const plain = message.replace(/^Validation error: (?:\w+: )?/, '')
  return plain === message ? message : `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}
