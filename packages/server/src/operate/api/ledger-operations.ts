import { Type } from 'typebox'
import {
  AccountEntries,
  AccountId,
  AccountKind,
  AccountPage,
  LedgerIntegrityView,
  TrialBalanceView,
} from './ledger-schema.ts'
import { type Operation, operation } from './operation.ts'
import { Environment, Limit, MerchantId, PaymentId, text } from './schema.ts'

export const ledgerOperations: readonly Operation[] = [
  operation({
    name: 'ledger.show',
    method: 'GET',
    path: '/ledger/:payment',
    permission: 'ledger:read',
    summary: 'Draw the ledger entries of a payment',
    input: Type.Object({ payment: PaymentId }),
    output: Type.String(),
    run: (operator, { payment }) => operator.ledger.show(payment),
  }),
  operation({
    name: 'ledger.trialBalance',
    method: 'GET',
    path: '/ledger/trial-balance',
    permission: 'ledger:read',
    summary: 'Show the trial balance: debits, credits and balance of each kind of account',
    input: Type.Object({ env: Environment }),
    output: TrialBalanceView,
    run: (operator, wanted) => operator.ledger.trialBalance(wanted),
  }),
  operation({
    name: 'ledger.integrity',
    method: 'GET',
    path: '/ledger/integrity',
    permission: 'ledger:read',
    summary: 'Show the last seal, how far the ledger is checked, and the heads of the audit trail',
    input: Type.Object({}),
    output: LedgerIntegrityView,
    run: (operator) => operator.ledger.integrity(),
  }),
  operation({
    name: 'ledger.accounts',
    method: 'GET',
    path: '/ledger/accounts',
    permission: 'ledger:read',
    summary: 'List accounts with their balances, oldest first',
    input: Type.Object({
      env: Environment,
      currency: Type.Optional(text),
      kind: Type.Optional(AccountKind),
      merchant: Type.Optional(MerchantId),
      limit: Limit(1000),
      after: Type.Optional(AccountId),
    }),
    output: AccountPage,
    run: (operator, wanted) => operator.ledger.accounts(wanted),
  }),
  operation({
    name: 'ledger.entries',
    method: 'GET',
    path: '/ledger/accounts/:account/entries',
    permission: 'ledger:read',
    summary: 'List the posted entries of an account with the running balance, newest first',
    input: Type.Object({
      account: AccountId,
      limit: Limit(1000),
      cursor: Type.Optional(Type.String({ maxLength: 300 })),
    }),
    output: AccountEntries,
    run: (operator, { account, ...wanted }) => operator.ledger.entries(account, wanted),
  }),
]
