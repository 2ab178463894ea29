/**
 * The only redactor: every log line, error text and trace passes through it. It works on finished text, so it catches a secret in
 * any object, exception or nested JSON.
 */
export function redact(text: string): string {
  return hideCardNumbers(hideSecrets(text.replace(secretFields, '$<name>$<escape>"[hidden]$<escape>"')))
}

/** Hides texts that are secrets wherever they occur: keys, tokens, passwords in URLs. */
export function hideSecrets(text: string): string {
  return text.replace(secretTexts, '[hidden]').replace(webTokens, (found) => (isWebToken(found) ? '[hidden]' : found))
}

export function hideCardNumbers(text: string): string {
  return text.replace(cardNumbers, (digits) => (isCardNumber(digits) ? '[hidden]' : digits))
}

/** Fields whose name alone makes the value secret; the quotes may be escaped, as in JSON inside JSON. */
const secretFields = new RegExp(
  String.raw`(?<name>(?<escape>\\{0,31})"(?:${[
    'apiKey',
    'api-key',
    'authorization',
    'cookie',
    'cvv',
    'expMonth',
    'expYear',
    'otp',
    'otpCode',
    'password',
    'pin',
    'secret',
    'set-cookie',
    'token',
    'voucherPin',
  ].join('|')})\k<escape>"\s*:\s*)(?:\k<escape>".*?(?<!\\)\k<escape>"|[\w.-]+)`,
  'gi',
)

const secretTexts = new RegExp(
  [
    String.raw`\bsk_(?:live|test)_[0-9A-Za-z]+`, // API keys
    String.raw`\bosk_[0-9A-Za-z]+`, // API keys of the operator's machines
    String.raw`\bmls_[\w-]+`, // sessions of command lines
    String.raw`(?<=\bmalipo=)[\w-]+`, // sessions of browsers
    String.raw`(?<=/invitation#)[\w-]+`, // invitations
    String.raw`\bwhsec_[0-9A-Za-z+/=_-]+`, // webhook secrets
    String.raw`(?<=\bBearer\s{1,9})[\w.~+/-]+=*`,
    String.raw`(?<=\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s@/]+(?=@)`, // passwords in URLs
  ].join('|'),
  'g',
)

const webTokens = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g

/** A JSON web token, whose signature has at least 32 bytes. Nothing else is hidden: a URL or an address must not hide itself so. */
function isWebToken(text: string): boolean {
  const [header = '', payload = '', signature = ''] = text.split('.')
  return signature.length >= 43 && isJsonObject(header) && isJsonObject(payload)
}

function isJsonObject(part: string): boolean {
  try {
    return typeof JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) === 'object'
  } catch {
    return false
  }
}

const cardNumbers = /(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])/g

/** The check digit rule of ISO/IEC 7812; one in ten other long numbers passes and is hidden too, which does no harm. */
function isCardNumber(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, '')].map(Number).reverse()
  const sum = digits.reduce((total, digit, index) => {
    if (index % 2 === 0) return total + digit
    return total + (digit > 4 ? digit * 2 - 9 : digit * 2)
  }, 0)
  return sum % 10 === 0
}
