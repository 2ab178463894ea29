// Made by npm run generate from docs/reference/operator-openapi.json. Change the routes instead.

/**
 * What operations name.
 *
 * @public
 */
export interface Schemas {
  /** Three-letter ISO 4217 code */
  Currency: 'AOA' | 'BIF' | 'BWP' | 'CDF' | 'DJF' | 'EGP' | 'ETB' | 'EUR' | 'GBP' | 'GHS' | 'GMD' | 'GNF' | 'KES' | 'LRD' | 'LSL' | 'MAD' | 'MGA' | 'MUR' | 'MWK' | 'MZN' | 'NAD' | 'NGN' | 'RWF' | 'SCR' | 'SDG' | 'SLE' | 'SOS' | 'SSP' | 'SZL' | 'TND' | 'TZS' | 'UGX' | 'USD' | 'XAF' | 'XOF' | 'ZAR' | 'ZMW' | (string & {})
  /** What a statement line is for */
  LineKind: 'payment' | 'fee' | 'exchange' | 'refund' | 'adjustment' | 'funding' | 'archived' | (string & {})
  /** Every error has this form. */
  Failure: {
    /** true when the request succeeded, false when it was refused */
    success: false
    /** For people; decide by `success` and `errorCode` */
    message: string
    /** What failed; see the list of error codes */
    errorCode: string
    /** Also in the header `X-Request-Id`; give it to the operator when you report a problem */
    requestId: string
    /** The wrong fields, or facts about the error */
    details?: {
      /** The field or fact */
      field: string
      /** For people; decide by `success` and `errorCode` */
      message: string
    }[] | undefined
    /** Only for a refused authorisation: the attempts left */
    attemptsLeft?: number | undefined
    /** The same request may succeed later */
    retryable?: boolean | undefined
    /** What to do, in one or two sentences */
    fix?: string | undefined
    /** The page of this error, relative to the address of the API */
    docs?: string | undefined
  }
  Merchant: {
    /** Its id */
    id: string
    /** Name */
    name: string
    /** E-mail address */
    email: string
    /** Two-letter ISO 3166-1 code */
    country: string
    /** State, province or county */
    state: 'active' | 'frozen'
    /** ISO 8601 date-time */
    createdAt: string
  }
  KeyPair: {
    publicKey: string
    env: 'live' | 'sandbox'
    scopes: string[]
    addresses: string[]
    /** State, province or county */
    state: 'active' | 'revoked'
    /** ISO 8601 date-time */
    createdAt: string
    tokenIssuedAt?: string | undefined
  }
  OperatorWallet: {
    env: 'live' | 'sandbox'
    /** Three-letter ISO 4217 code */
    currency: string
    /** Two-letter ISO 3166-1 code */
    country: string
    balance: string
    available: string
    pending: string
    owed: string
  }
  FeeRule: {
    /** Its id */
    id: string
    env: 'live' | 'sandbox'
    operation: 'charge' | 'payout' | 'refund'
    /** `momo` or `bank` */
    method: string
    /** Three-letter ISO 4217 code */
    currency: string
    merchantId?: string | undefined
    basisPoints: number
    fixed: string
    /** Smallest amount */
    min?: string | undefined
    /** Largest amount */
    max?: string | undefined
    isReturned: boolean
    effectiveFrom: string
    /** ISO 8601 date-time */
    setAt: string
    setBy: string
    /** PENDING, then SUCCESSFUL or FAILED */
    status: 'in force' | 'scheduled' | 'superseded'
  }
  PayoutControls: {
    merchantId: string
    env: 'live' | 'sandbox'
    currencies: {
      /** Three-letter ISO 4217 code */
      currency: string
      perPayout?: string | undefined
      perCredentialDay?: string | undefined
      perMerchantDay?: string | undefined
      perBeneficiaryDay?: string | undefined
      approvalAbove?: string | undefined
    }[]
    newBeneficiariesNeedApproval: boolean
    bulkNeedsApproval: boolean
  }
  MerchantOverview: {
    /** Its id */
    id: string
    /** Name */
    name: string
    /** E-mail address */
    email: string
    /** Two-letter ISO 3166-1 code */
    country: string
    /** State, province or county */
    state: 'active' | 'frozen'
    /** ISO 8601 date-time */
    createdAt: string
    frozenAt?: string | undefined
    keys: Schemas['KeyPair'][]
    /** One for each currency and country */
    wallets: Schemas['OperatorWallet'][]
    webhooks: {
      env: 'live' | 'sandbox'
      endpoint: string
      url: string
      /** State, province or county */
      state: 'none' | 'healthy' | 'failing' | 'disabled'
      failures: number
      failingSince?: string | undefined
      disabledAt?: string | undefined
    }[]
    fees: Schemas['FeeRule'][]
    payoutControls: Schemas['PayoutControls'][]
    /** Missing for readers without `people:read` */
    people?: {
      /** Its id */
      id: string
      /** Name */
      name: string
      /** E-mail address */
      email: string
      roles: {
        /** Its id */
        id: string
        role: string
        countries: string[]
        currencies: string[]
        grantedBy: string
      }[]
    }[] | undefined
    disabledCurrencies: {
      env: 'live' | 'sandbox'
      currencies: string[]
    }[]
    openPayments: {
      env: 'live' | 'sandbox'
      /** State, province or county */
      state: string
      payments: number
      oldestSeconds: number
    }[]
    lastPayments: {
      env: 'live' | 'sandbox'
      /** ISO 8601 date-time */
      at: string
    }[]
  }
  Proposal: {
    proposalId: string
    operation: string
    summary: string
    env?: 'live' | 'sandbox' | undefined
    merchantId?: string | undefined
    /** In major units */
    amount?: string | undefined
    /** Three-letter ISO 4217 code */
    currency?: Schemas['Currency'] | undefined
    /** The ledger entries that its execution makes */
    postings: {
      event: string
      kind: 'hold' | 'post' | 'void' | 'transfer'
      debit: string
      credit: string
      /** In major units */
      amount: string
      /** Three-letter ISO 4217 code */
      currency: string
    }[]
    change: {
      [name: string]: unknown
    }
    reason: string
    proposedBy: string
    /** `person_…` or `machine_…`: names are not unique */
    proposedById: string
    /** ISO 8601 date-time */
    createdAt: string
    expiresAt: string
    /** State, province or county */
    state: 'open' | 'expired' | 'executed' | 'rejected' | 'withdrawn' | 'void'
    decidedBy?: string | undefined
    decidedById?: string | undefined
    /** A key, link or code waits to be collected */
    hasSecret?: true | undefined
    decidedAt?: string | undefined
    decisionReason?: string | undefined
    subject?: string | undefined
  }
  MerchantCurrencies: {
    merchantId: string
    env: 'live' | 'sandbox'
    enabled: string[]
    disabled: string[]
  }
  NewKeyPair: {
    publicKey: string
    /** Shown once */
    apiKey: string
    env: 'live' | 'sandbox'
  }
  Float: {
    provider: string
    env: 'live' | 'sandbox'
    /** Two-letter ISO 3166-1 code */
    country: string
    /** Three-letter ISO 4217 code */
    currency: string
    /** In major units */
    amount: string
    mark?: string | undefined
    isLow: boolean
    /** By the payouts and refunds of the last 24 hours */
    outflowPerHour?: string | undefined
    /** How long the amount lasts at that rate */
    hoursLeft?: number | undefined
  }
  MorningCheck: {
    env: 'live' | 'sandbox'
    /** ISO 8601 date-time */
    at: string
    openPayments: {
      age: 'under_5_minutes' | 'under_1_hour' | 'under_24_hours' | 'over_24_hours'
      /** Three-letter ISO 4217 code */
      currency: string
      payments: number
      /** In major units */
      amount: string
      inDoubt: number
    }[]
    doubts: {
      /** Empty when the outcome is not known and no reason is named */
      doubt: string
      summary: string
      payments: number
      oldestSeconds: number
    }[]
    /** The money in doubt, by currency and direction */
    inDoubt: {
      /** Three-letter ISO 4217 code */
      currency: string
      /** Payouts and refunds: the money leaves */
      isOut: boolean
      payments: number
      /** In major units */
      amount: string
    }[]
    lanes: {
      provider: string
      open: number
      /** Not sent yet, or to be sent again */
      toSend: number
      /** Held because the provider is paused */
      paused: number
      /** Held because the merchant is frozen */
      frozen: number
      /** Payments that a process should work on now */
      due: number
      /** How long the first of them has waited: the lag of the queue */
      oldestDueSeconds?: number | undefined
    }[]
    webhooks: {
      waiting: {
        age: 'under_5_minutes' | 'under_1_hour' | 'under_24_hours' | 'over_24_hours'
        records: number
      }[]
      /** How many of them were tried without success */
      retries: number
      oldestSeconds?: number | undefined
      /** Whether more wait than were counted */
      isCut: boolean
      failingEndpoints: number
      disabledEndpoints: number
    }
    suspense: {
      /** Three-letter ISO 4217 code */
      currency: string
      cases: number
      /** In major units */
      amount: string
      oldestSeconds: number
    }[]
    proposals: {
      open: number
      oldestSeconds?: number | undefined
    }
    lowFloats: Schemas['Float'][]
  }
  PaymentPage: {
    payments: {
      /** Its id */
      id: string
      env: 'live' | 'sandbox'
      /** Its kind */
      type: 'payout' | 'charge' | 'refund' | 'conversion' | 'adjustment'
      /** In major units */
      amount: string
      /** Three-letter ISO 4217 code */
      currency: string
      /** Two-letter ISO 3166-1 code */
      country: string
      /** `momo` or `bank` */
      method: string
      /** The mobile money operator, the bank or the kind of card */
      code: string
      /** State, province or county */
      state: string
      /** Where the payment was */
      stage: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | 'COMPLETED' | 'FAILED' | 'EXPIRED'
      /** Why it waits or is in doubt, by name; empty otherwise */
      doubt: string
      /** ISO 8601 date-time */
      createdAt: string
      reason: string
      provider: string
      attempt: number
      merchant: {
        /** Its id */
        id: string
        /** Name */
        name: string
      }
      /** Your own id of the payment */
      externalReference: string
      ageSeconds: number
      nextPollInSeconds?: number | undefined
    }[]
    /** The `after` of the next page */
    next?: string | undefined
  }
  FoundPayments: {
    payments: {
      /** Its id */
      id: string
      env: 'live' | 'sandbox'
      /** Its kind */
      type: 'payout' | 'charge' | 'refund' | 'conversion' | 'adjustment'
      /** In major units */
      amount: string
      /** Three-letter ISO 4217 code */
      currency: string
      /** Two-letter ISO 3166-1 code */
      country: string
      /** `momo` or `bank` */
      method: string
      /** The mobile money operator, the bank or the kind of card */
      code: string
      /** State, province or county */
      state: string
      /** Where the payment was */
      stage: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | 'COMPLETED' | 'FAILED' | 'EXPIRED'
      /** Why it waits or is in doubt, by name; empty otherwise */
      doubt: string
      /** ISO 8601 date-time */
      createdAt: string
      reason: string
      provider: string
      attempt: number
      merchant: {
        /** Its id */
        id: string
        /** Name */
        name: string
      }
      /** Your own id of the payment */
      externalReference: string
      ageSeconds: number
      nextPollInSeconds?: number | undefined
      matched: 'id' | 'provider_key' | 'reference' | 'phone' | 'account' | 'receipt'
      /** Only its last digits, unless the reader has `personal-data:read` */
      account: string
    }[]
    /** The `before` of the next page */
    next?: string | undefined
    /** Payments accepted in these times are not found yet by number or receipt */
    notIndexed: {
      /** Currency that is exchanged */
      from: string
      until: string
    }[]
  }
  ListedCallback: {
    /** Its id */
    id: string
    env: 'live' | 'sandbox'
    provider: string
    receivedAt: string
    outcome: string
    meaning: string
    reason?: string | undefined
    keys: string[]
    /** Malipo’s id of the payment, `txn_…` */
    transactionId?: string | undefined
    bodyBytes: number
  }
  Payment: {
    /** Its id */
    id: string
    env: 'live' | 'sandbox'
    /** Its kind */
    type: 'payout' | 'charge' | 'refund' | 'conversion' | 'adjustment'
    /** In major units */
    amount: string
    /** Three-letter ISO 4217 code */
    currency: string
    /** Two-letter ISO 3166-1 code */
    country: string
    /** `momo` or `bank` */
    method: string
    /** The mobile money operator, the bank or the kind of card */
    code: string
    /** State, province or county */
    state: string
    /** Where the payment was */
    stage: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | 'COMPLETED' | 'FAILED' | 'EXPIRED'
    /** Why it waits or is in doubt, by name; empty otherwise */
    doubt: string
    /** ISO 8601 date-time */
    createdAt: string
    reason: string
    provider: string
    attempt: number
    merchant: {
      /** Its id */
      id: string
      /** Name */
      name: string
      isFrozen: boolean
    }
    suspenseCase?: string | undefined
    adjustments?: string[] | undefined
    adjusts?: string | undefined
    /** Your own id of the payment */
    externalReference: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: string
    /** About its doubt */
    guidance?: {
      meaning: string
      withoutHelp: string
      check: string
      action: string
    } | undefined
    /** Name of the account holder */
    accountName: string
    /** Only its last digits, unless the reader has `personal-data:read` */
    account: string
    wallet: {
      /** In major units */
      amount: string
      fee: string
      /** Three-letter ISO 4217 code */
      currency: string
      /** Two-letter ISO 3166-1 code */
      country: string
    }
    failure?: string | undefined
    receipt?: string | undefined
    updatedAt: string
    expiresAt?: string | undefined
    /** Number of delivery attempts */
    attempts: {
      /** Card number, digits only */
      number: number
      provider: string
      key: string
      sends: number
      polls: number
      /** How often in a row the provider could not accept it */
      refusals: number
      sendDeadline?: string | undefined
      outcome: string
    }[]
    events: {
      /** ISO 8601 date-time */
      at: string
      cause: string
      /** State, province or county */
      state: string
      /** For people; decide by `success` and `errorCode` */
      message: string
      notifiesMerchant: boolean
      detail: {
        [name: string]: unknown
      }
    }[]
    /** The ledger entries, drawn */
    ledger?: string | undefined
    /** The same entries; a hold and its end have the same number */
    entries: {
      /** Card number, digits only */
      number: number
      /** ISO 8601 date-time */
      at: string
      event: string
      kind: 'hold' | 'post' | 'void' | 'transfer'
      debit: string
      credit: string
      /** In major units */
      amount: string
      /** Three-letter ISO 4217 code */
      currency: string
    }[]
    /** Debits and credits of what is posted, per currency */
    sums: {
      /** Three-letter ISO 4217 code */
      currency: string
      debits: string
      credits: string
    }[]
    /** YYYY-MM, if entries of this month are archived: `malipo archive read` draws them, and only later ones are here */
    archivedMonth?: string | undefined
    next: {
      what: string
      /** ISO 8601 date-time */
      at?: string | undefined
    }
    callbacks?: Schemas['ListedCallback'][] | undefined
    /** Open proposals about it, or about its money in suspense */
    proposals: Schemas['Proposal'][]
  }
  Resolution: {
    outcome: 'successful' | 'failed'
    isPossible: boolean
    refusal?: string | undefined
    money?: string | undefined
    caution?: string | undefined
    /** State, province or county */
    state?: string | undefined
    /** The ledger entries that it makes */
    postings: {
      event: string
      kind: 'hold' | 'post' | 'void' | 'transfer'
      debit: string
      credit: string
      /** In major units */
      amount: string
      /** Three-letter ISO 4217 code */
      currency: string
    }[]
  }
  ResolvedPayment: {
    /** Its id */
    id: string
    /** State, province or county */
    state: string
    money: string
    caution?: string | undefined
  }
  RetriedPayment: {
    /** Its id */
    id: string
    provider: string
    key: string
    isPaused: boolean
  }
  SuspenseCase: {
    /** Its id */
    id: string
    env: 'live' | 'sandbox'
    kind: string
    meaning: string
    /** In major units */
    amount: string
    /** Three-letter ISO 4217 code */
    currency: string
    provider: string
    /** Two-letter ISO 3166-1 code */
    country: string
    merchantId?: string | undefined
    /** Malipo’s id of the payment, `txn_…` */
    transactionId?: string | undefined
    providerKey?: string | undefined
    openedAt: string
    ageSeconds: number
    closedAt?: string | undefined
    outcome?: string | undefined
    clearedBy?: string | undefined
  }
  Clearing: {
    kind: 'credit-merchant' | 'debit-merchant' | 'return-to-payer' | 'write-off'
    isPossible: boolean
    refusal?: string | undefined
    outcome?: string | undefined
    /** The ledger entries that it makes */
    postings: {
      event: string
      kind: 'hold' | 'post' | 'void' | 'transfer'
      debit: string
      credit: string
      /** In major units */
      amount: string
      /** Three-letter ISO 4217 code */
      currency: string
    }[]
  }
  ClearedCase: {
    /** Its id */
    id: string
    outcome: string
    /** In major units */
    amount: string
    /** Three-letter ISO 4217 code */
    currency: string
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
  }
  Callback: {
    /** Its id */
    id: string
    env: 'live' | 'sandbox'
    provider: string
    receivedAt: string
    outcome: string
    meaning: string
    reason?: string | undefined
    keys: string[]
    /** Malipo’s id of the payment, `txn_…` */
    transactionId?: string | undefined
    bodyBytes: number
    /** The cardholder's billing address */
    address: string
    /** `momo` or `bank` */
    method: string
    path: string
    host: string
    headers: {
      [name: string]: string
    }
    body: string
    encoding: 'utf8' | 'base64'
    isCut: boolean
  }
  Posted: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** In major units */
    amount: string
    /** Three-letter ISO 4217 code */
    currency: string
  }
  FeeQuote: {
    basisPoints: number
    fixed: string
    /** Smallest amount */
    min?: string | undefined
    /** Largest amount */
    max?: string | undefined
    isReturned: boolean
    /** In major units */
    amount: string
    fee: string
    /** Three-letter ISO 4217 code */
    currency: string
  }
  Providers: {
    providers: {
      provider: string
      env: 'live' | 'sandbox'
      /** State, province or county */
      state: 'running' | 'paused'
      pausedAt?: string | undefined
      pauseReason?: string | undefined
      isUnhealthy?: true | undefined
      open: {
        [name: string]: number
      }
      oldestOpenSeconds?: number | undefined
      inDoubt: number
      suspenseCases: number
      lastHour: {
        successful: number
        failed: number
      }
    }[]
    floats: Schemas['Float'][]
    isHourCut: boolean
  }
  ProviderBoard: {
    env: 'live' | 'sandbox'
    /** ISO 8601 date-time */
    at: string
    /** Payments count at the time of their acceptance. The lowest success rate is first */
    rows: {
      provider: string
      operation: 'charge' | 'payout' | 'refund'
      /** State, province or county */
      state: 'running' | 'paused'
      pausedAt?: string | undefined
      pauseReason?: string | undefined
      /** It does not respond: new payments go to other providers until it does */
      isUnhealthy?: true | undefined
      /** Payments that have not ended, of any age */
      open: number
      /** Of the payments accepted in these 5 minutes and the 10 before */
      last15Minutes: {
        successful: number
        failed: number
        /** Between 0 and 1; missing when nothing has ended */
        successRate?: number | undefined
      }
      last24Hours: {
        successful: number
        failed: number
        /** Between 0 and 1; missing when nothing has ended */
        successRate?: number | undefined
      }
      /** From acceptance to the end, exact to about 6 % */
      p50Seconds?: number | undefined
      p95Seconds?: number | undefined
      /** 24 points, the oldest first */
      hours: {
        /** ISO 8601 date-time */
        at: string
        successful: number
        failed: number
        /** Between 0 and 1; missing when nothing has ended */
        successRate?: number | undefined
      }[]
      /** The commonest failures of 24 hours */
      failures: {
        /** Code */
        code: string
        payments: number
      }[]
    }[]
  }
  Lane: {
    provider: string
    env: 'live' | 'sandbox'
    /** State, province or county */
    state: 'running' | 'paused'
    woken: number
  }
  Rate: {
    env: 'live' | 'sandbox'
    /** BASE/QUOTE, such as USD/KES */
    pair: string
    buy?: string | undefined
    sell?: string | undefined
    providerBuy?: string | undefined
    providerSell?: string | undefined
    provider?: string | undefined
    /** ISO 8601 date-time */
    at?: string | undefined
    confirmedBy?: string | undefined
    isTooOld: boolean
    held?: {
      /** Its id */
      id: string
      buy: string
      sell: string
      provider: string
      /** ISO 8601 date-time */
      at: string
      jumpPercent: string
    } | undefined
  }
  DecidedRate: {
    /** Its id */
    id: string
    env: 'live' | 'sandbox'
    /** BASE/QUOTE, such as USD/KES */
    pair: string
    buy: string
    sell: string
  }
  TrialBalance: {
    env: 'live' | 'sandbox'
    /** ISO 8601 date-time */
    at: string
    /** Whether the sum of every currency is 0 */
    isBalanced: boolean
    /** Account numbers, and the outcome that each chooses */
    accounts: number
    currencies: {
      /** Three-letter ISO 4217 code */
      currency: string
      kinds: {
        kind: 'wallet' | 'float' | 'treasury' | 'clearing' | 'fx_position' | 'fx_income' | 'fees' | 'cost' | 'suspense' | 'receivable'
        /** Account numbers, and the outcome that each chooses */
        accounts: number
        debits: string
        credits: string
        /** Debits less credits */
        balance: string
        /** Debits that holds reserve */
        held: string
      }[]
      debits: string
      credits: string
      /** Debits less credits */
      sum: string
      isBalanced: boolean
    }[]
  }
  LedgerIntegrity: {
    /** ISO 8601 date-time */
    at: string
    lastSeal?: {
      /** Card number, digits only */
      number: number
      /** ISO 8601 date-time */
      at: string
      hash: string
      isIntact: boolean
    } | undefined
    /** At most 10,001 are counted */
    unsealedBatches: number
    chains: number
    batches: number
    /** Transfers in the ledger, as the database estimates them */
    entriesAbout: number
    check: {
      lastRun?: {
        /** ISO 8601 date-time */
        at: string
        isGood: boolean
        /** The difference that was found */
        problem?: string | undefined
      } | undefined
      lastFullRun?: {
        /** ISO 8601 date-time */
        at: string
        isGood: boolean
        /** The difference that was found */
        problem?: string | undefined
      } | undefined
      hasRun: boolean
      seal?: number | undefined
      sealedAt?: string | undefined
      /** At most 10,001 are counted */
      uncheckedBatches: number
    }
    audit: {
      chains: {
        chain: number
        entries: number
        head: string
        verified: number
      }[]
    }
  }
  LedgerAccount: {
    account: string
    kind: 'wallet' | 'float' | 'treasury' | 'clearing' | 'fx_position' | 'fx_income' | 'fees' | 'cost' | 'suspense' | 'receivable'
    /** Name */
    name: string
    env: 'live' | 'sandbox'
    /** Three-letter ISO 4217 code */
    currency: string
    /** Two-letter ISO 3166-1 code */
    country?: string | undefined
    provider?: string | undefined
    merchant?: {
      /** Its id */
      id: string
      /** Name */
      name: string
    } | undefined
    debits: string
    credits: string
    /** The side that increases the balance */
    side: 'debit' | 'credit'
    balance: string
    held: string
  }
  LedgerAccountPage: {
    /** Account numbers, and the outcome that each chooses */
    accounts: Schemas['LedgerAccount'][]
    /** The `after` of the next page */
    next?: string | undefined
  }
  LedgerEntries: {
    account: Schemas['LedgerAccount']
    /** Newest first */
    entries: {
      /** ISO 8601 date-time */
      at: string
      /** Malipo’s id of the payment, `txn_…` */
      transactionId?: string | undefined
      /** Your own id of the payment */
      externalReference?: string | undefined
      event: string
      /** The number of the entry within its transaction */
      number: number
      otherSide: string
      debit?: string | undefined
      credit?: string | undefined
      /** After the entry, on the account's side */
      balance: string
    }[]
    /** The `cursor` of the next page; a page may be empty and not be the last */
    next?: string | undefined
  }
  Threshold: {
    /** Three-letter ISO 4217 code */
    currency: string
    /** In major units */
    amount: string
  }
  AuditEntry: {
    /** Its id */
    id: string
    /** ISO 8601 date-time */
    at: string
    actor: {
      kind: string
      /** Its id */
      id: string
      /** Name */
      name: string
    }
    action: string
    result: string
    subject: string
    merchantId?: string | undefined
    env?: 'live' | 'sandbox' | undefined
    reason?: string | undefined
    detail: {
      [name: string]: unknown
    }
    requestId?: string | undefined
    /** The cardholder's billing address */
    address?: string | undefined
    /** The `User-Agent` header of the browser */
    userAgent?: string | undefined
    role?: string | undefined
    strength?: string | undefined
    chain: number
    /** Card number, digits only */
    number: string
    hash: string
    /** The names, today, of the people and merchants whose ids are in the entry */
    names: {
      [name: string]: string
    }
  }
  Person: {
    /** Its id */
    id: string
    /** Name */
    name: string
    /** E-mail address */
    email: string
    /** State, province or county */
    state: 'active' | 'ended'
    roles: {
      /** Its id */
      id: string
      role: string
      merchant: string | null
      countries: string[]
      currencies: string[]
      grantedBy: string
    }[]
    /** ISO 8601 date-time */
    createdAt: string
  }
  Invitation: {
    /** Its id */
    id: string
    /** Shown once */
    link: string
    expiresAt: string
  }
  Session: {
    /** Its id */
    id: string
    kind: 'browser' | 'cli'
    strength: 'passkey' | 'password_totp' | 'oidc'
    /** The cardholder's billing address */
    address: string
    /** The `User-Agent` header of the browser */
    userAgent: string
    /** ISO 8601 date-time */
    createdAt: string
    lastSeenAt: string
    endsAt: string
  }
  Machine: {
    /** Its id */
    id: string
    /** Name */
    name: string
    publicKey: string
    permissions: string[]
    addresses: string[]
    /** State, province or county */
    state: 'active' | 'revoked'
    /** ISO 8601 date-time */
    createdAt: string
  }
  NewMachine: {
    /** Its id */
    id: string
    publicKey: string
    /** Shown once */
    apiKey: string
  }
}

/** What each operation takes, and what it answers. */
export interface Operations {
  /** Create a merchant */
  postMerchants: {
    body: {
      /** Name */
      name: string
      /** E-mail address */
      email: string
      /** First name */
      firstName: string
      /** Last name */
      lastName: string
      /** Two-letter ISO 3166-1 code */
      country: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Merchant']
    }
  }
  /** List merchants */
  getMerchants: {
    query: {
      /** `mer_…` */
      after?: string | undefined
      limit: number
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Merchant'][]
    }
  }
  /** Show a merchant: key pairs, wallets, webhooks, fees and open payments */
  getMerchantsMerchant: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['MerchantOverview']
    }
  }
  /** Show the wallets of a merchant */
  getMerchantsMerchantWallets: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    query?: {
      env?: 'live' | 'sandbox' | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['OperatorWallet'][]
    }
  }
  /** Freeze a merchant: none of its payments is sent */
  postMerchantsMerchantFreeze: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Merchant']
    }
  }
  /** Unfreeze a merchant: its held payments are sent */
  postMerchantsMerchantUnfreeze: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Merchant']
    }
  }
  /** Show the currencies of a merchant */
  getMerchantsMerchantCurrencies: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['MerchantCurrencies'][]
    }
  }
  /** Turn currencies of a merchant on and off */
  putMerchantsMerchantCurrencies: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      env: 'live' | 'sandbox'
      enable?: string[] | undefined
      disable?: string[] | undefined
      only?: string[] | undefined
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['MerchantCurrencies']
    }
  }
  /** List the key pairs of a merchant */
  getMerchantsMerchantKeys: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['KeyPair'][]
    }
  }
  /** Create a key pair */
  postMerchantsMerchantKeys: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      env: 'live' | 'sandbox'
      scopes?: string[] | undefined
      addresses?: string[] | undefined
      /** Why; kept in the audit trail */
      reason?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['NewKeyPair']
    }
  }
  /** Replace the API key of a pair */
  postKeysPublicKeyRotate: {
    path: {
      publicKey: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['NewKeyPair']
    }
  }
  /** Revoke a key pair */
  postKeysPublicKeyRevoke: {
    path: {
      publicKey: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: object
    }
  }
  /** Show what may need a person now: open payments, doubts, queues, webhooks, suspense, proposals and floats */
  getOperations: {
    query: {
      env: 'live' | 'sandbox'
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['MorningCheck']
    }
  }
  /** List payments: open ones oldest first; ended ones, or all, newest first */
  getPayments: {
    query: {
      /** Only payments that need a person */
      isDoubtOnly: boolean
      /** `mer_…` */
      merchant?: string | undefined
      env?: 'live' | 'sandbox' | undefined
      provider?: string | undefined
      /** State, province or county */
      state?: 'unapproved' | 'accepted' | 'sending' | 'waiting' | 'submitted' | 'unknown' | 'successful' | 'failed' | undefined
      /** Without a state: ended payments too, newest first */
      isWithEnded?: boolean | undefined
      /** Its kind */
      type?: 'payout' | 'charge' | 'refund' | 'conversion' | 'adjustment' | undefined
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      olderThanMinutes?: number | undefined
      limit: number
      /** Only events with a higher `number` */
      after?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['PaymentPage']
    }
  }
  /** Find payments by id, provider key, reference, phone, account number or receipt */
  postPaymentsFind: {
    body: {
      query: string
      /** `mer_…` */
      merchant?: string | undefined
      env?: 'live' | 'sandbox' | undefined
      limit: number
      before?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FoundPayments']
    }
  }
  /** Show a payment: state, attempts, events and ledger entries */
  getPaymentsPayment: {
    path: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Payment']
    }
  }
  /** Show what each manual resolution of a payment would do now, with its ledger entries */
  getPaymentsPaymentResolutions: {
    path: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Resolution'][]
    }
  }
  /** End a payment permanently with a known outcome */
  postPaymentsPaymentResolve: {
    path: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment: string
    }
    body: {
      outcome: 'successful' | 'failed'
      /** Why; kept in the audit trail */
      reason: string
      /** What proves it, such as a line of a statement; kept in the audit trail */
      evidence: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ResolvedPayment']
    }
  }
  /** Send a payout to its provider again now, under the same key */
  postPaymentsPaymentRetry: {
    path: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['RetriedPayment']
    }
  }
  /** List open cases about money in suspense, oldest first */
  getSuspense: {
    query: {
      env?: 'live' | 'sandbox' | undefined
      provider?: string | undefined
      limit: number
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['SuspenseCase'][]
    }
  }
  /** Show a case about money in suspense */
  getSuspenseCaseId: {
    path: {
      /** `case_…` */
      caseId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['SuspenseCase']
    }
  }
  /** Show what each way to clear a case would do now, with its ledger entries */
  getSuspenseCaseIdClearings: {
    path: {
      /** `case_…` */
      caseId: string
    }
    query?: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Clearing'][]
    }
  }
  /** Clear a case: credit or debit the merchant, return the money to the payer, or write it off */
  postSuspenseCaseIdClear: {
    path: {
      /** `case_…` */
      caseId: string
    }
    body: {
      kind: 'credit-merchant' | 'debit-merchant' | 'return-to-payer' | 'write-off'
      /** `txn_…`, or the key of an attempt at its provider */
      payment?: string | undefined
      /** Why; kept in the audit trail */
      reason: string
      /** What proves it, such as a line of a statement; kept in the audit trail */
      evidence: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ClearedCase']
    }
  }
  /** Send a merchant's webhook again */
  postMerchantsMerchantWebhooksWebhookResend: {
    path: {
      /** `mer_…` */
      merchant: string
      /** `wh_…` */
      webhook: string
    }
    body: {
      env: 'live' | 'sandbox'
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        webhook: string
      }
    }
  }
  /** List callbacks of providers, newest first */
  getCallbacks: {
    query: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment?: string | undefined
      env?: 'live' | 'sandbox' | undefined
      provider?: string | undefined
      outcome?: 'applied' | 'hint' | 'unknown_payment' | 'ignored' | 'failed' | 'refused' | undefined
      withinSeconds?: number | undefined
      limit: number
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ListedCallback'][]
    }
  }
  /** Show a callback as the provider sent it; the read is audited */
  getCallbacksCallback: {
    path: {
      /** `cb_…` */
      callback: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Callback']
    }
  }
  /** Credit a wallet from treasury */
  postMerchantsMerchantWalletsFund: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      env: 'live' | 'sandbox'
      /** Three-letter ISO 4217 code */
      currency: string
      /** Two-letter ISO 3166-1 code */
      country: string
      /** Decimal text in major units */
      amount: string
      /** What proves it, such as a line of a statement; kept in the audit trail */
      evidence: string
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Posted']
    }
  }
  /** Bring a float to the provider's figure */
  postFloatsAdjust: {
    body: {
      provider: string
      env: 'live' | 'sandbox'
      /** Three-letter ISO 4217 code */
      currency: string
      /** Two-letter ISO 3166-1 code */
      country: string
      /** Decimal text in major units */
      amount: string
      /** What proves it, such as a line of a statement; kept in the audit trail */
      evidence: string
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Posted']
    }
  }
  /** List our floats at providers, with their low-water marks */
  getFloats: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Float'][]
    }
  }
  /** Set the amount below which a float must be topped up */
  putFloatsMark: {
    body: {
      provider: string
      env: 'live' | 'sandbox'
      /** Two-letter ISO 3166-1 code */
      country: string
      /** Three-letter ISO 4217 code */
      currency: string
      /** Decimal text in major units */
      amount: string
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Float']
    }
  }
  /** Set fees from a date on */
  postFees: {
    body: {
      env: 'live' | 'sandbox'
      operation?: 'charge' | 'payout' | 'refund' | undefined
      /** `momo` or `bank` */
      method?: string | undefined
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      /** `mer_…` */
      merchant?: string | undefined
      basisPoints: number
      /** Decimal text in major units */
      fixed?: string | undefined
      /** Decimal text in major units */
      min?: string | undefined
      /** Decimal text in major units */
      max?: string | undefined
      isReturned?: boolean | undefined
      /** A day or a time in UTC; now if omitted */
      from?: string | undefined
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FeeRule'][]
    }
  }
  /** List fee rules */
  getFees: {
    query: {
      env?: 'live' | 'sandbox' | undefined
      /** `mer_…` */
      merchant?: string | undefined
      isHistory: boolean
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FeeRule'][]
    }
  }
  /** Show the fee that a payment would have now */
  getFeesQuote: {
    query: {
      env: 'live' | 'sandbox'
      operation: 'charge' | 'payout' | 'refund'
      /** `momo` or `bank` */
      method: string
      /** Three-letter ISO 4217 code */
      currency: string
      /** `mer_…` */
      merchant?: string | undefined
      /** Decimal text in major units */
      amount: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FeeQuote']
    }
  }
  /** Show providers, their open payments and our floats */
  getProviders: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Providers']
    }
  }
  /** Show how each provider does: success rates, times, failures and open payments of 24 hours */
  getProvidersBoard: {
    query: {
      env: 'live' | 'sandbox'
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ProviderBoard']
    }
  }
  /** Pause a provider: queued payments wait, cards and bank transfers are refused */
  postProvidersProviderPause: {
    path: {
      provider: string
    }
    body: {
      env: 'live' | 'sandbox'
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Lane']
    }
  }
  /** Resume a provider: waiting payments continue */
  postProvidersProviderResume: {
    path: {
      provider: string
    }
    body: {
      env: 'live' | 'sandbox'
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Lane']
    }
  }
  /** List exchange rates, and those that jumped and wait */
  getRates: {
    query: {
      env?: 'live' | 'sandbox' | undefined
      isHeldOnly: boolean
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Rate'][]
    }
  }
  /** Confirm a rate that jumped */
  postRatesRateConfirm: {
    path: {
      /** The exchange rate that was used */
      rate: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['DecidedRate']
    }
  }
  /** Reject a rate that jumped */
  postRatesRateReject: {
    path: {
      /** The exchange rate that was used */
      rate: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['DecidedRate']
    }
  }
  /** Draw the ledger entries of a payment */
  getLedgerPayment: {
    path: {
      /** `txn_…`, or the key of an attempt at its provider */
      payment: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: string
    }
  }
  /** Show the trial balance: debits, credits and balance of each kind of account */
  getLedgerTrialBalance: {
    query: {
      env: 'live' | 'sandbox'
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['TrialBalance']
    }
  }
  /** Show the last seal, how far the ledger is checked, and the heads of the audit trail */
  getLedgerIntegrity: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['LedgerIntegrity']
    }
  }
  /** List accounts with their balances, oldest first */
  getLedgerAccounts: {
    query: {
      env: 'live' | 'sandbox'
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      kind?: 'wallet' | 'float' | 'treasury' | 'clearing' | 'fx_position' | 'fx_income' | 'fees' | 'cost' | 'suspense' | 'receivable' | undefined
      /** `mer_…` */
      merchant?: string | undefined
      limit: number
      /** `acc_…` */
      after?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['LedgerAccountPage']
    }
  }
  /** List the posted entries of an account with the running balance, newest first */
  getLedgerAccountsAccountEntries: {
    path: {
      /** `acc_…` */
      account: string
    }
    query: {
      limit: number
      cursor?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['LedgerEntries']
    }
  }
  /** Show the payout limits and approval rules of a merchant */
  getMerchantsMerchantPayoutControls: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['PayoutControls'][]
    }
  }
  /** Set the payout limits of a merchant in one currency */
  putMerchantsMerchantPayoutLimits: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      env: 'live' | 'sandbox'
      /** Three-letter ISO 4217 code */
      currency: string
      /** Decimal text in major units, or `none` */
      perPayout?: string | undefined
      /** Decimal text in major units, or `none` */
      perCredentialDay?: string | undefined
      /** Decimal text in major units, or `none` */
      perMerchantDay?: string | undefined
      /** Decimal text in major units, or `none` */
      perBeneficiaryDay?: string | undefined
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['PayoutControls']
    }
  }
  /** Set which payouts of a merchant need approval */
  putMerchantsMerchantApprovalRules: {
    path: {
      /** `mer_…` */
      merchant: string
    }
    body: {
      env: 'live' | 'sandbox'
      /** Decimal text in major units, or `none` */
      above?: string | undefined
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      newBeneficiaries?: boolean | undefined
      bulk?: boolean | undefined
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['PayoutControls']
    }
  }
  /** List the amounts below which one person may move live money */
  getThresholds: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Threshold'][]
    }
  }
  /** Set the amount below which one person may move live money */
  putThresholdsCurrency: {
    path: {
      /** Three-letter ISO 4217 code */
      currency: string
    }
    body: {
      /** Decimal text in major units */
      amount: string
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Threshold']
    }
  }
  /** List entries of the audit trail, newest first */
  getAudit: {
    query: {
      actor?: string | undefined
      action?: string | undefined
      subject?: string | undefined
      /** `mer_…` */
      merchant?: string | undefined
      env?: 'live' | 'sandbox' | undefined
      result?: 'done' | 'refused' | undefined
      /** A time such as 2026-11-17T06:00:00Z */
      from?: string | undefined
      /** A time such as 2026-11-17T06:00:00Z */
      to?: string | undefined
      /** Only events with a higher `number` */
      after?: string | undefined
      limit: number
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['AuditEntry'][]
    }
  }
  /** Show an entry of the audit trail */
  getAuditEntry: {
    path: {
      /** `aud_…` */
      entry: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['AuditEntry']
    }
  }
  /** List people and their roles */
  getPeople: {
    query: {
      /** `person_…` */
      after?: string | undefined
      limit: number
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Person'][]
    }
  }
  /** Invite a person: the link works once, for 72 hours */
  postPeopleInvite: {
    body: {
      /** E-mail address */
      email: string
      /** Name */
      name: string
      role: string
      /** `mer_…` */
      merchant?: string | undefined
      countries?: string[] | undefined
      currencies?: string[] | undefined
      isForOidc?: boolean | undefined
      /** Why; kept in the audit trail */
      reason?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Invitation']
    }
  }
  /** Give a role to a person who joined before; the person signs in again to use it */
  postPeoplePersonRoles: {
    path: {
      /** `person_…` */
      person: string
    }
    body: {
      role: string
      /** `mer_…` */
      merchant?: string | undefined
      countries?: string[] | undefined
      currencies?: string[] | undefined
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        membership: string
      }
    }
  }
  /** End a role of a person, and the person's sessions */
  postRolesMembershipEnd: {
    path: {
      /** The id of a role of a person, from the list of people */
      membership: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: object
    }
  }
  /** Disable a person permanently: roles and sessions end */
  postPeoplePersonEnd: {
    path: {
      /** `person_…` */
      person: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: object
    }
  }
  /** List the sessions of a person */
  getPeoplePersonSessions: {
    path: {
      /** `person_…` */
      person: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Session'][]
    }
  }
  /** End all sessions of a person, who can sign in again */
  postPeoplePersonEndSessions: {
    path: {
      /** `person_…` */
      person: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        ended: number
      }
    }
  }
  /** End every way to sign in of a person who lost them, and make a link for a new one; roles stay */
  postPeoplePersonRecover: {
    path: {
      /** `person_…` */
      person: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Invitation']
    }
  }
  /** List machines and their permissions */
  getMachines: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Machine'][]
    }
  }
  /** Create a key pair for a machine, with permissions that you hold */
  postMachines: {
    body: {
      /** Name */
      name: string
      permissions: string[]
      addresses?: string[] | undefined
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['NewMachine']
    }
  }
  /** Revoke the key pair of a machine */
  postMachinesMachineRevoke: {
    path: {
      /** `machine_…` */
      machine: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: object
    }
  }
  /** List proposals, newest first */
  getProposals: {
    query: {
      isOpenOnly: boolean
      limit: number
      /** `prp_…` */
      before?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Proposal'][]
    }
  }
  /** Show a proposal with the ledger entries that it makes */
  getProposalsProposal: {
    path: {
      /** `prp_…` */
      proposal: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Proposal']
    }
  }
  /** Approve and execute a proposal of another person */
  postProposalsProposalApprove: {
    path: {
      /** `prp_…` */
      proposal: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Proposal']
    }
  }
  /** Reject a proposal of another person */
  postProposalsProposalReject: {
    path: {
      /** `prp_…` */
      proposal: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Proposal']
    }
  }
  /** Withdraw your own proposal */
  postProposalsProposalWithdraw: {
    path: {
      /** `prp_…` */
      proposal: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Proposal']
    }
  }
  /** Get the API key or the link of your approved proposal, once */
  postProposalsProposalCollect: {
    path: {
      /** `prp_…` */
      proposal: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['NewKeyPair'] | Schemas['NewMachine'] | Schemas['Invitation'] | {
        /** For the invited person, who needs it beside the link */
        code: string
      }
    }
  }
  /** Get an access token for a machine */
  postAuthGenerateBearerToken: {
    body: {
      /** The machine's public key, `opk_…` */
      publicKey: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** Send it as `Authorization: Bearer …` to `/operator/v1/…` */
      token: string
      /** Unix seconds; request a new token about 60 s earlier */
      expiresAt: number
    }
  }
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
  postMerchants: { method: 'POST', path: '/merchants' },
  getMerchants: { method: 'GET', path: '/merchants' },
  getMerchantsMerchant: { method: 'GET', path: '/merchants/{merchant}' },
  getMerchantsMerchantWallets: { method: 'GET', path: '/merchants/{merchant}/wallets' },
  postMerchantsMerchantFreeze: { method: 'POST', path: '/merchants/{merchant}/freeze' },
  postMerchantsMerchantUnfreeze: { method: 'POST', path: '/merchants/{merchant}/unfreeze' },
  getMerchantsMerchantCurrencies: { method: 'GET', path: '/merchants/{merchant}/currencies' },
  putMerchantsMerchantCurrencies: { method: 'PUT', path: '/merchants/{merchant}/currencies' },
  getMerchantsMerchantKeys: { method: 'GET', path: '/merchants/{merchant}/keys' },
  postMerchantsMerchantKeys: { method: 'POST', path: '/merchants/{merchant}/keys' },
  postKeysPublicKeyRotate: { method: 'POST', path: '/keys/{publicKey}/rotate' },
  postKeysPublicKeyRevoke: { method: 'POST', path: '/keys/{publicKey}/revoke' },
  getOperations: { method: 'GET', path: '/operations' },
  getPayments: { method: 'GET', path: '/payments' },
  postPaymentsFind: { method: 'POST', path: '/payments/find' },
  getPaymentsPayment: { method: 'GET', path: '/payments/{payment}' },
  getPaymentsPaymentResolutions: { method: 'GET', path: '/payments/{payment}/resolutions' },
  postPaymentsPaymentResolve: { method: 'POST', path: '/payments/{payment}/resolve' },
  postPaymentsPaymentRetry: { method: 'POST', path: '/payments/{payment}/retry' },
  getSuspense: { method: 'GET', path: '/suspense' },
  getSuspenseCaseId: { method: 'GET', path: '/suspense/{caseId}' },
  getSuspenseCaseIdClearings: { method: 'GET', path: '/suspense/{caseId}/clearings' },
  postSuspenseCaseIdClear: { method: 'POST', path: '/suspense/{caseId}/clear' },
  postMerchantsMerchantWebhooksWebhookResend: { method: 'POST', path: '/merchants/{merchant}/webhooks/{webhook}/resend' },
  getCallbacks: { method: 'GET', path: '/callbacks' },
  getCallbacksCallback: { method: 'GET', path: '/callbacks/{callback}' },
  postMerchantsMerchantWalletsFund: { method: 'POST', path: '/merchants/{merchant}/wallets/fund' },
  postFloatsAdjust: { method: 'POST', path: '/floats/adjust' },
  getFloats: { method: 'GET', path: '/floats' },
  putFloatsMark: { method: 'PUT', path: '/floats/mark' },
  postFees: { method: 'POST', path: '/fees' },
  getFees: { method: 'GET', path: '/fees' },
  getFeesQuote: { method: 'GET', path: '/fees/quote' },
  getProviders: { method: 'GET', path: '/providers' },
  getProvidersBoard: { method: 'GET', path: '/providers/board' },
  postProvidersProviderPause: { method: 'POST', path: '/providers/{provider}/pause' },
  postProvidersProviderResume: { method: 'POST', path: '/providers/{provider}/resume' },
  getRates: { method: 'GET', path: '/rates' },
  postRatesRateConfirm: { method: 'POST', path: '/rates/{rate}/confirm' },
  postRatesRateReject: { method: 'POST', path: '/rates/{rate}/reject' },
  getLedgerPayment: { method: 'GET', path: '/ledger/{payment}' },
  getLedgerTrialBalance: { method: 'GET', path: '/ledger/trial-balance' },
  getLedgerIntegrity: { method: 'GET', path: '/ledger/integrity' },
  getLedgerAccounts: { method: 'GET', path: '/ledger/accounts' },
  getLedgerAccountsAccountEntries: { method: 'GET', path: '/ledger/accounts/{account}/entries' },
  getMerchantsMerchantPayoutControls: { method: 'GET', path: '/merchants/{merchant}/payout-controls' },
  putMerchantsMerchantPayoutLimits: { method: 'PUT', path: '/merchants/{merchant}/payout-limits' },
  putMerchantsMerchantApprovalRules: { method: 'PUT', path: '/merchants/{merchant}/approval-rules' },
  getThresholds: { method: 'GET', path: '/thresholds' },
  putThresholdsCurrency: { method: 'PUT', path: '/thresholds/{currency}' },
  getAudit: { method: 'GET', path: '/audit' },
  getAuditEntry: { method: 'GET', path: '/audit/{entry}' },
  getPeople: { method: 'GET', path: '/people' },
  postPeopleInvite: { method: 'POST', path: '/people/invite' },
  postPeoplePersonRoles: { method: 'POST', path: '/people/{person}/roles' },
  postRolesMembershipEnd: { method: 'POST', path: '/roles/{membership}/end' },
  postPeoplePersonEnd: { method: 'POST', path: '/people/{person}/end' },
  getPeoplePersonSessions: { method: 'GET', path: '/people/{person}/sessions' },
  postPeoplePersonEndSessions: { method: 'POST', path: '/people/{person}/end-sessions' },
  postPeoplePersonRecover: { method: 'POST', path: '/people/{person}/recover' },
  getMachines: { method: 'GET', path: '/machines' },
  postMachines: { method: 'POST', path: '/machines' },
  postMachinesMachineRevoke: { method: 'POST', path: '/machines/{machine}/revoke' },
  getProposals: { method: 'GET', path: '/proposals' },
  getProposalsProposal: { method: 'GET', path: '/proposals/{proposal}' },
  postProposalsProposalApprove: { method: 'POST', path: '/proposals/{proposal}/approve' },
  postProposalsProposalReject: { method: 'POST', path: '/proposals/{proposal}/reject' },
  postProposalsProposalWithdraw: { method: 'POST', path: '/proposals/{proposal}/withdraw' },
  postProposalsProposalCollect: { method: 'POST', path: '/proposals/{proposal}/collect' },
  postAuthGenerateBearerToken: { method: 'POST', path: '/auth/generate-bearer-token' },
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
