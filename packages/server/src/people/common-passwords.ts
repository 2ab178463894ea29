/**
 * Long passwords that lists of leaked ones have near the top, in lower case. Digits and signs at the end do not make them better.
 */
const common: ReadonlySet<string> = new Set([
  '1234567890',
  '12345678910',
  '123456789012',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'abcdefghijkl',
  'administrator',
  'changeme',
  'changemenow',
  'correcthorsebatterystaple',
  'football',
  'iloveyou',
  'letmein',
  'letmeinplease',
  'malipo',
  'malipomalipo',
  'mypassword',
  'newpassword',
  'password',
  'passwordpassword',
  'q1w2e3r4t5y6',
  'qwerty',
  'qwertyqwerty',
  'qwertyuiop',
  'qwertyuiopas',
  'qwertyuiopasdf',
  'superman',
  'thisisapassword',
  'trustno',
  'unbelievable',
  'welcome',
  'welcomewelcome',
])

export function isCommon(password: string): boolean {
  const plain = password.replaceAll(/[\s_-]/g, '')
  return common.has(plain) || common.has(plain.replace(/[\d\W]+$/, ''))
}
