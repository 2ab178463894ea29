import type { Invited } from '../people/invite.ts'
import { listMachines, type MachineView, type NewMachine } from '../people/machines.ts'
import type { SessionView } from '../people/sessions.ts'
import type { Environment } from '../platform/db.ts'
import { type AuditCommands, auditCommands } from './audit.ts'
import { type CallbackCommands, callbackCommands } from './callbacks.ts'
import { type ClearedCase, type Clearing, clearCase } from './clear-suspense.ts'
import { type ClearingView, showClearings } from './clearings.ts'
import {
  type FeeListOrder,
  type FeeOrder,
  type FeeQuestion,
  type FeeQuote,
  type FeeRuleView,
  listFees,
  setFees,
  showFee,
} from './fees.ts'
import { type FindOrder, type FoundPayments, findPayments } from './find-payments.ts'
import { type FloatView, listFloats, type MarkOrder, markFloat } from './float-marks.ts'
import { create as createKey, end, type KeyOrder, type KeyView, listOf, type NewPair, rotate } from './keys.ts'
import { show } from './ledger.ts'
import {
  type AccountPage,
  type AccountsWanted,
  listAccounts,
  type TrialBalance,
  trialBalance,
} from './ledger-accounts.ts'
import { type AccountEntries, accountEntries, type EntriesWanted } from './ledger-entries.ts'
import { type LedgerIntegrity, ledgerIntegrity } from './ledger-integrity.ts'
import { type ListOrder, listPayments, type PaymentPage } from './list-payments.ts'
import { addMachine, type NewMachineOrder, revokeMachineBy } from './machines.ts'
import {
  type ManualResolution,
  type ResolvedPayment,
  type RetriedPayment,
  resolvePayment,
  retryPayment,
} from './manual-resolution.ts'
import { type CurrencyOrder, type MerchantCurrencies, setCurrencies, showCurrencies } from './merchant-currencies.ts'
import { create as createMerchant, freeze, type MerchantOrder, type MerchantView, page, unfreeze } from './merchants.ts'
import { adjustFloat, type FloatAdjustment, type Funding, fundWallet, type Posted } from './money.ts'
import { type MorningCheck, morningCheck } from './morning-check.ts'
import type { OperatorContext } from './operator-context.ts'
import { type PaymentView, showPayment } from './payments.ts'
import {
  type ApprovalsOrder,
  type LimitsOrder,
  type PayoutControlsView,
  setApprovalRules,
  setPayoutLimits,
  showPayoutControls,
} from './payout-controls.ts'
import {
  endPersonBy,
  endRoleBy,
  endSessionsBy,
  type GrantedRole,
  type GrantOrder,
  grantRoleBy,
  type InviteOrder,
  invitePerson,
  listPeople,
  type PersonView,
  recoverPersonBy,
  sessionsOf,
} from './people.ts'
import { type ProviderBoard, providerBoard } from './provider-board.ts'
import {
  type LaneOrder,
  type LaneView,
  type ProvidersView,
  pauseProvider,
  providersStatus,
  resumeProvider,
} from './providers.ts'
import { confirmRate, type DecidedRate, listRates, type RateListOrder, type RateView, rejectRate } from './rates.ts'
import { type ResolutionView, showResolutions } from './resolutions.ts'
import { type MerchantOverview, showMerchant } from './show-merchant.ts'
import { type CasesWanted, type CaseView, listCases, showCase } from './suspense.ts'
import { listThresholds, setThreshold, type ThresholdOrder, type ThresholdView } from './thresholds.ts'
import { showWallets, type WalletView } from './wallets.ts'

import { type ResendOrder, type ResentWebhook, resendWebhook } from './webhooks.ts'

/**
 * What operator staff can do. The operator API runs it for the sender of a request; on the machine of an installation, break-glass
 * commands run it directly.
 */
export interface LocalOperator {
  readonly operations: {
    /** What may need a person now. */
    show(wanted: { readonly env: Environment }): Promise<MorningCheck>
  }
  readonly merchants: {
    create(order: MerchantOrder): Promise<MerchantView>
    list(page: { after?: string; limit: number }): Promise<MerchantView[]>
    show(id: string): Promise<MerchantOverview>
    freeze(id: string, reason: string): Promise<MerchantView>
    unfreeze(id: string, reason: string): Promise<MerchantView>
    currencies(id: string): Promise<MerchantCurrencies[]>
    setCurrencies(id: string, order: CurrencyOrder): Promise<MerchantCurrencies>
  }
  readonly keys: {
    create(merchantId: string, order: KeyOrder): Promise<NewPair>
    rotate(publicKey: string, order?: Pick<KeyOrder, 'reason'>): Promise<NewPair>
    revoke(publicKey: string, reason: string): Promise<void>
    list(merchantId: string): Promise<KeyView[]>
  }
  readonly wallets: {
    fund(merchantId: string, funding: Funding): Promise<Posted>
    show(merchantId: string, wanted?: { env?: Environment }): Promise<WalletView[]>
  }
  readonly floats: {
    adjust(adjustment: FloatAdjustment): Promise<Posted>
    list(): Promise<FloatView[]>
    /** Sets the low-water mark of a float. */
    mark(order: MarkOrder): Promise<FloatView>
  }
  readonly fees: {
    set(order: FeeOrder): Promise<FeeRuleView[]>
    list(wanted: FeeListOrder): Promise<FeeRuleView[]>
    show(question: FeeQuestion): Promise<FeeQuote>
  }
  /** Limits and approval rules for merchants' payouts. */
  readonly payoutControls: {
    show(merchantId: string): Promise<PayoutControlsView[]>
    setLimits(merchantId: string, order: LimitsOrder): Promise<PayoutControlsView>
    setApprovals(merchantId: string, order: ApprovalsOrder): Promise<PayoutControlsView>
  }
  readonly payments: {
    list(wanted: ListOrder): Promise<PaymentPage>
    find(wanted: FindOrder): Promise<FoundPayments>
    show(transactionId: string): Promise<PaymentView>
    /** What each manual resolution would do now. */
    resolutions(transactionId: string): Promise<ResolutionView[]>
    resolve(transactionId: string, resolution: ManualResolution): Promise<ResolvedPayment>
    retry(transactionId: string, reason: string): Promise<RetriedPayment>
  }
  /** Money in suspense that waits for a person's decision. */
  readonly suspense: {
    list(wanted: CasesWanted): Promise<CaseView[]>
    show(caseId: string): Promise<CaseView>
    clearings(caseId: string, wanted?: Pick<Clearing, 'payment'>): Promise<ClearingView[]>
    clear(caseId: string, clearing: Clearing): Promise<ClearedCase>
  }
  /** Operator staff and people of merchants. */
  readonly people: {
    invite(order: InviteOrder): Promise<Invited>
    list(page: { after?: string; limit: number }): Promise<PersonView[]>
    /** Gives a role to a person who joined before. */
    grant(person: string, order: GrantOrder): Promise<GrantedRole>
    endRole(membership: string, reason: string): Promise<void>
    end(person: string, reason: string): Promise<void>
    sessions(person: string): Promise<SessionView[]>
    endSessions(person: string, reason: string): Promise<number>
    /** A link with which a person who lost every way to sign in adds a new one. */
    recover(person: string, reason: string): Promise<Invited>
  }
  /** Key pairs of the operator's own programs. */
  readonly machines: {
    create(order: NewMachineOrder): Promise<NewMachine>
    list(): Promise<MachineView[]>
    revoke(machine: string, reason: string): Promise<void>
  }
  readonly webhooks: {
    resend(merchantId: string, order: ResendOrder): Promise<ResentWebhook>
  }
  readonly callbacks: CallbackCommands
  /** Verifying and exporting the trail need the seals outside the database, so they run on the installation's machine. */
  readonly audit: Pick<AuditCommands, 'list' | 'show'>
  readonly providers: {
    status(): Promise<ProvidersView>
    board(wanted: { readonly env: Environment }): Promise<ProviderBoard>
    pause(provider: string, order: LaneOrder): Promise<LaneView>
    resume(provider: string, order: LaneOrder): Promise<LaneView>
  }
  readonly rates: {
    list(wanted: RateListOrder): Promise<RateView[]>
    confirm(id: string, reason: string): Promise<DecidedRate>
    reject(id: string, reason: string): Promise<DecidedRate>
  }
  /** Amounts below which one person may move live money alone. */
  readonly thresholds: {
    list(): Promise<ThresholdView[]>
    set(order: ThresholdOrder): Promise<ThresholdView>
  }
  readonly ledger: {
    show(transactionId: string): Promise<string>
    trialBalance(wanted: { readonly env: Environment }): Promise<TrialBalance>
    accounts(wanted: AccountsWanted): Promise<AccountPage>
    entries(account: string, wanted: EntriesWanted): Promise<AccountEntries>
    integrity(): Promise<LedgerIntegrity>
  }
}

/** The commands of one person or machine. */
export function bindOperator(context: OperatorContext): LocalOperator {
  return {
    operations: { show: (wanted) => morningCheck(context, wanted) },
    merchants: {
      create: (order) => createMerchant(context, order),
      list: (wanted) => page(context, wanted),
      show: (id) => showMerchant(context, id),
      freeze: (id, reason) => freeze(context, id, reason),
      unfreeze: (id, reason) => unfreeze(context, id, reason),
      currencies: (id) => showCurrencies(context, id),
      setCurrencies: (id, order) => setCurrencies(context, id, order),
    },
    keys: {
      create: (merchantId, order) => createKey(context, merchantId, order),
      rotate: (publicKey, order) => rotate(context, publicKey, order),
      revoke: (publicKey, reason) => end(context, publicKey, reason),
      list: (merchantId) => listOf(context, merchantId),
    },
    wallets: {
      fund: (merchantId, funding) => fundWallet(context, merchantId, funding),
      show: (merchantId, wanted) => showWallets(context, merchantId, wanted),
    },
    floats: {
      adjust: (adjustment) => adjustFloat(context, adjustment),
      list: () => listFloats(context),
      mark: (order) => markFloat(context, order),
    },
    fees: {
      set: (order) => setFees(context, order),
      list: (wanted) => listFees(context, wanted),
      show: (question) => showFee(context, question),
    },
    payoutControls: {
      show: (id) => showPayoutControls(context, id),
      setLimits: (id, order) => setPayoutLimits(context, id, order),
      setApprovals: (id, order) => setApprovalRules(context, id, order),
    },
    payments: {
      list: (wanted) => listPayments(context, wanted),
      find: (wanted) => findPayments(context, wanted),
      show: (transactionId) => showPayment(context, transactionId),
      resolutions: (transactionId) => showResolutions(context, transactionId),
      resolve: (transactionId, resolution) => resolvePayment(context, transactionId, resolution),
      retry: (transactionId, reason) => retryPayment(context, transactionId, reason),
    },
    suspense: {
      list: (wanted) => listCases(context, wanted),
      show: (caseId) => showCase(context, caseId),
      clearings: (caseId, wanted) => showClearings(context, caseId, wanted),
      clear: (caseId, clearing) => clearCase(context, caseId, clearing),
    },
    ...bindPeople(context),
    webhooks: { resend: (merchantId, order) => resendWebhook(context, merchantId, order) },
    callbacks: callbackCommands(context),
    audit: auditCommands(context, undefined),
    providers: {
      status: () => providersStatus(context),
      board: (wanted) => providerBoard(context, wanted),
      pause: (provider, order) => pauseProvider(context, provider, order),
      resume: (provider, order) => resumeProvider(context, provider, order),
    },
    rates: {
      list: (wanted) => listRates(context, wanted),
      confirm: (id, reason) => confirmRate(context, id, reason),
      reject: (id, reason) => rejectRate(context, id, reason),
    },
    thresholds: { list: () => listThresholds(context), set: (order) => setThreshold(context, order) },
    ...bindLedger(context),
  }
}

const bindLedger = (context: OperatorContext): Pick<LocalOperator, 'ledger'> => ({
  ledger: {
    show: (transactionId) => show(context, transactionId),
    trialBalance: (wanted) => trialBalance(context, wanted),
    accounts: (wanted) => listAccounts(context, wanted),
    entries: (account, wanted) => accountEntries(context, account, wanted),
    integrity: () => ledgerIntegrity(context),
  },
})

const bindPeople = (context: OperatorContext): Pick<LocalOperator, 'people' | 'machines'> => ({
  people: {
    invite: (order) => invitePerson(context, order),
    list: (wanted) => listPeople(context, wanted),
    grant: (person, order) => grantRoleBy(context, person, order),
    endRole: (membership, reason) => endRoleBy(context, membership, reason),
    end: (person, reason) => endPersonBy(context, person, reason),
    sessions: (person) => sessionsOf(context, person),
    endSessions: (person, reason) => endSessionsBy(context, person, reason),
    recover: (person, reason) => recoverPersonBy(context, person, reason),
  },
  machines: {
    create: (order) => addMachine(context, order),
    list: () => listMachines(context.db.write),
    revoke: (machine, reason) => revokeMachineBy(context, machine, reason),
  },
})
