import { type Detail, invalid } from '../errors.ts'
import type { BeneficiaryInput, Destination, FieldName, PayoutMethod } from './beneficiary.ts'

/** Any of the three shapes in which an account may be created. */
export interface CreateBody {
  readonly country: string
  readonly currency: string
  readonly payload?: {
    readonly firstName?: string
    readonly lastName?: string
    readonly phoneNumber?: string
    readonly destination?: Destination
    readonly payoutMethod?: PayoutMethod
  }
  readonly destination?: Destination
  readonly payoutMethod?: PayoutMethod
}

export interface ReadInput {
  readonly input: BeneficiaryInput
  readonly fieldOf: FieldName
}

/** The same input from any shape, with the field names of that shape. */
export function inputOf({ country, currency, payload, destination, payoutMethod }: CreateBody): ReadInput {
  if (payload && (destination !== undefined || payoutMethod !== undefined))
    throw invalid([{ field: 'payload', message: 'payload cannot be combined with destination and payoutMethod' }])
  const place = { country, currency }
  if (!payload) return methodInput(place, destination, payoutMethod, '')
  if (payload.payoutMethod) return methodInput(place, payload.destination, payload.payoutMethod, 'payload.')
  return personInput(place, payload)
}

function methodInput(
  place: { country: string; currency: string },
  destination: Destination | undefined,
  payoutMethod: PayoutMethod | undefined,
  before: 'payload.' | '',
): ReadInput {
  const needed =
    before === '' ? 'payload, or destination and payoutMethod, is required' : `${before}destination is required`
  if (!destination || !payoutMethod)
    throw invalid([{ field: before === '' ? 'payload' : `${before}destination`, message: needed }])
  return { input: { ...place, destination, payoutMethod }, fieldOf: (name) => `${before}payoutMethod.${name}` }
}

const personFields = ['firstName', 'lastName', 'phoneNumber'] as const

/** A person with a phone: the phone number is the account. */
function personInput(
  place: { country: string; currency: string },
  payload: NonNullable<CreateBody['payload']>,
): ReadInput {
  const { destination = 'MoMo', phoneNumber = '' } = payload
  const [first, ...rest] = personFields
    .filter((name) => !payload[name])
    .map((name): Detail => ({ field: `payload.${name}`, message: `payload.${name} is required` }))
  if (first) throw invalid([first, ...rest])
  if (destination !== 'MoMo')
    throw invalid([{ field: 'payload.payoutMethod', message: `payload.payoutMethod is required for ${destination}` }])
  const payoutMethod = { accountName: `${payload.firstName} ${payload.lastName}`, accountNumber: phoneNumber }
  return { input: { ...place, destination, payoutMethod }, fieldOf: (name) => personNames[name] }
}

const personNames: Record<keyof PayoutMethod, string> = {
  accountName: 'payload.firstName',
  accountNumber: 'payload.phoneNumber',
  code: 'payload.payoutMethod.code',
  branchCode: 'payload.payoutMethod.branchCode',
  businessNumber: 'payload.payoutMethod.businessNumber',
}
