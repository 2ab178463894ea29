import { createHash } from 'node:crypto'
import type { Call, Reply } from '../dialect.ts'
import { holderName } from '../names.ts'
import { unknownEnding } from '../outcomes.ts'
import { type Fields, findKindProblem, resolveForms } from './read.ts'
import { refuse } from './words.ts'

/** The holder of an account. The same number always has the same name. */
export function resolve({ json }: Call): Reply {
  const problem = findKindProblem(json, resolveForms, '')
  if (problem) return refuse(400, problem.code, problem.message)
  const { kind, operator, phone, bankCode, branchCode, accountNumber } = json as Fields
  const number = String(phone ?? accountNumber)
  if (number.endsWith(unknownEnding)) return refuse(404, 'NOT_FOUND', 'Account not found.')
  const where = [kind, operator ?? bankCode, branchCode ?? '', number].join('/')
  const digest = createHash('sha256').update(where).digest()
  const accountId = `acc_${digest.toString('hex', 4, 16)}`
  return { status: 200, body: { accountId, accountName: holderName(digest) } }
}
