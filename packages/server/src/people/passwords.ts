import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { invalid } from '../errors.ts'
import { createSemaphore } from '../platform/semaphore.ts'
import { isCommon } from './common-passwords.ts'

/** The cost of a new hash: OWASP's first choice for argon2id. A hash with another cost is replaced at the next sign-in. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const tagLength = 32
const saltLength = 16

/** Computations at a time. Each uses 19 MiB and a thread that file and name lookups share, so payments keep theirs. */
const atOnceMax = 2

export interface Passwords {
  /** A hash in the PHC format. */
  hash(password: string): Promise<string>
  /** Always costs one computation: without a hash it compares with one that matches nothing. */
  matches(password: string, hash: string | undefined): Promise<boolean>
  /** Whether a hash has the cost of new ones. */
  isCurrent(hash: string): boolean
}

export function createPasswords(): Passwords {
  const inTurn = createSemaphore(atOnceMax)
  const compute = (password: string, salt: Buffer, { memory, passes, parallelism }: Cost) =>
    inTurn(() => derive({ message: password.normalize('NFKC'), nonce: salt, parallelism, tagLength, memory, passes }))
  const costText = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  const nothing = { ...cost, salt: randomBytes(saltLength), tag: randomBytes(tagLength) }
  return {
    hash: async (password) => {
      const salt = randomBytes(saltLength)
      const tag = await compute(password, salt, cost)
      return `$argon2id$v=19$${costText}$${salt.toString('base64url')}$${tag.toString('base64url')}`
    },
    matches: async (password, hash) => {
      const { salt, tag, ...stored } = hash === undefined ? nothing : parse(hash)
      return timingSafeEqual(await compute(password, salt, stored), tag)
    },
    isCurrent: (hash) => hash.includes(`$${costText}$`),
  }
}

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }

const derive = (parameters: Argon2Parameters) =>
  new Promise<Buffer>((resolve, reject) =>
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag))),
  )

function parse(hash: string): Cost & { readonly salt: Buffer; readonly tag: Buffer } {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(hash)
  if (!found) throw new Error('a stored password hash has another format')
  const [, memory, passes, parallelism, salt = '', tag = ''] = found
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64url'),
    tag: Buffer.from(tag, 'base64url'),
  }
}

const passwordLengthMin = 12

/** Refuses a password that is short, common, one repeated pattern, or made of the person's own e-mail address. */
export function requireGoodPassword(password: string, email: string): void {
  const plain = password.normalize('NFKC').toLowerCase()
  const [own = ''] = email.toLowerCase().split('@')
  const refuse = (message: string) => {
    throw invalid([{ field: 'password', message: `password ${message}` }])
  }
  if ([...plain].length < passwordLengthMin) refuse(`must have at least ${passwordLengthMin} characters`)
  if (/^(.{1,4})\1+.{0,3}$/su.test(plain) || isCommon(plain)) refuse('is one of the first that an attacker tries')
  if (own.length >= 4 && plain.includes(own)) refuse('must not contain your e-mail address')
}
