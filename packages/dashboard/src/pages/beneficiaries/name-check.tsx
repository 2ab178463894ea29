import { queryOptions, useQuery } from '@tanstack/react-query'
import { CallError } from '../../api/call.ts'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { Note } from '../../ui/note.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type AccountDraft, plainNumber } from './account-draft.ts'
import { compareNames } from './compare-names.ts'

const unknownAccount = 'E-CH-PY.S-37'
const noService = new Set(['PROVIDER_NOT_FOUND'])
const numberMin = 6

type Question =
  | {
      readonly method: 'momo'
      readonly accountNumber: string
      readonly currency: string
      readonly momoOperator: string
    }
  | {
      readonly method: 'bank'
      readonly accountNumber: string
      readonly currency: string
      readonly bankCode: string
      readonly branchCode?: string
    }

/** What is asked of the provider; nothing while the account is incomplete or its kind has no names. */
function questionOf({ destination, accountNumber, currency, code, branchCode }: AccountDraft): Question | undefined {
  const number = plainNumber(accountNumber)
  if (number.length < numberMin || code === '') return undefined
  const account = { accountNumber: number, currency }
  if (destination === 'MoMo') return { method: 'momo', ...account, momoOperator: code }
  if (destination !== 'Bank Account') return undefined
  return { method: 'bank', ...account, bankCode: code, ...(branchCode !== '' && { branchCode }) }
}

const nameQuery = (place: Place, question: Question | undefined) =>
  queryOptions({
    queryKey: ['holder', place, question],
    enabled: question !== undefined,
    retry: false,
    staleTime: 600_000,
    queryFn: async ({ signal }) => {
      if (!question) return ''
      const { data } = await merchantApi(place)('postUtilitiesAccountResolve', { body: question, signal })
      return data.accountName
    },
  })

export type NameCheck =
  | { readonly state: 'none' | 'asking' | 'invalid' }
  | { readonly state: 'match' | 'order' | 'initials' | 'differs'; readonly reported: string }
  | { readonly state: 'unknown' | 'no-service' | 'no-response' }

/** Whether the person must decide before anything is paid to this account. */
export const needsDecision = ({ state }: NameCheck): boolean => state === 'differs' || state === 'unknown'

/** Compares the entered name with the one that the provider reports for the account. */
export function useNameCheck(place: Place, draft: AccountDraft): NameCheck {
  const settled = useDebounced(draft)
  const question = questionOf(settled)
  const { data: reported, error, isFetching } = useQuery(nameQuery(place, question))
  if (!question || settled.accountName.trim() === '') return { state: 'none' }
  if (isFetching) return { state: 'asking' }
  if (error) return { state: stateOf(error) }
  if (reported === undefined) return { state: 'none' }
  const difference = compareNames(settled.accountName, reported)
  return { state: difference === 'none' ? 'match' : difference, reported }
}

function stateOf(error: Error): 'unknown' | 'no-service' | 'no-response' | 'invalid' {
  if (!(error instanceof CallError)) return 'no-response'
  if (error.code === unknownAccount) return 'unknown'
  if (noService.has(error.code)) return 'no-service'
  return error.status === 400 || error.status === 422 ? 'invalid' : 'no-response'
}

interface NameCheckNoteProps {
  readonly check: NameCheck
  /** The operator or bank, as people call it. */
  readonly rail: string
  readonly accountName: string
}

/** The result in words, with the provider's name in full. */
export function NameCheckNote({ check, rail, accountName }: NameCheckNoteProps) {
  return <div aria-live="polite">{noteOf(check, rail, accountName)}</div>
}

function noteOf(check: NameCheck, rail: string, accountName: string) {
  const texts = {
    asking: <Note>Asking {rail} for the name of the account holder…</Note>,
    'no-service': <Note>{rail} has no name service. Check the number with its owner before you pay.</Note>,
    'no-response': <Note>{rail} did not report a name. You can continue; the number is not verified.</Note>,
    unknown: (
      <Note look="fail">
        <b>No such account.</b> {rail} reports that this account does not exist. Check the number with its owner.
      </Note>
    ),
  }
  if (check.state === 'none' || check.state === 'invalid') return null
  if (!('reported' in check)) return texts[check.state]
  const { state, reported } = check
  if (state === 'differs')
    return (
      <Note look="warn">
        <b>Names differ.</b> {rail} reports this account as <b>{reported}</b>, not {accountName.trim()}. You decide.
      </Note>
    )
  return (
    <Note look="ok">
      <b>Names match.</b> {rail} reports this account as <b>{reported}</b>.{likeness[state]}
    </Note>
  )
}

const likeness = { match: '', order: ' Only the order differs.', initials: ' Only initials differ.' } as const
