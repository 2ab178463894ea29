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
  /** Start to sign in with a passkey */
  postSignInPasskeyOptions: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** Send it back with the answer, within 5 minutes */
      challenge: string
      options: object
    }
  }
  /** Sign in with a passkey */
  postSignInPasskey: {
    body: {
      /** From the options */
      challenge: string
      /** The receiver's last response */
      response: {
        /** Its id */
        id: string
        rawId: string
        /** Its kind */
        type: 'public-key'
        authenticatorAttachment?: string | undefined
        clientExtensionResults: object
        /** The receiver's last response */
        response: {
          clientDataJSON: string
          authenticatorData: string
          signature: string
          userHandle?: string | undefined
        }
      }
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Sign in with password and code */
  postSignInPassword: {
    body: {
      /** E-mail address */
      email: string
      /** At least 12 characters */
      password: string
      /** Six digits of the authenticator app */
      code: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Start to prove presence with a passkey */
  postStepUpPasskeyOptions: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** Send it back with the answer, within 5 minutes */
      challenge: string
      options: object
    }
  }
  /** Prove presence with a passkey */
  postStepUpPasskey: {
    body: {
      /** From the options */
      challenge: string
      /** The receiver's last response */
      response: {
        /** Its id */
        id: string
        rawId: string
        /** Its kind */
        type: 'public-key'
        authenticatorAttachment?: string | undefined
        clientExtensionResults: object
        /** The receiver's last response */
        response: {
          clientDataJSON: string
          authenticatorData: string
          signature: string
          userHandle?: string | undefined
        }
      }
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Prove presence with password and code */
  postStepUpPassword: {
    body: {
      /** At least 12 characters */
      password: string
      /** Six digits of the authenticator app */
      code: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Show the signed-in person */
  getMe: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Its id */
        id: string
        /** Name */
        name: string
        /** E-mail address */
        email: string
        /** `passkey`, `password_totp` or `oidc` */
        strength: string
        provedAt: string | null
        hasPassword: boolean
        /** Id of the operator */
        operator: {
          role: string
          countries: string[]
          currencies: string[]
          permissions: string[]
        }[]
        merchants: {
          merchant: string
          /** Name */
          name: string
          role: string
          countries: string[]
          currencies: string[]
          permissions: string[]
          sandboxPermissions: string[]
        }[]
        /** Send it as `x-malipo-csrf` with every request that changes something; null on a command line */
        csrf: string | null
      }
    }
  }
  /** List own sessions */
  getSessions: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Its id */
        id: string
        kind: Schemas['LineKind']
        /** `passkey`, `password_totp` or `oidc` */
        strength: string
        /** The cardholder's billing address */
        address: string
        /** The `User-Agent` header of the browser */
        userAgent: string
        /** ISO 8601 date-time */
        createdAt: string
        lastSeenAt: string
        endsAt: string
        isThis: boolean
      }[]
    }
  }
  /** End one of your sessions */
  deleteSessionsId: {
    path: {
      /** Its id */
      id: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Sign out */
  postSignOut: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** List own passkeys */
  getPasskeys: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Its id */
        id: string
        /** Name */
        name: string
        /** ISO 8601 date-time */
        createdAt: string
        lastUsedAt: string | null
      }[]
    }
  }
  /** Add a passkey */
  postPasskeys: {
    body: {
      /** From the options */
      challenge: string
      /** Such as the name of the device */
      name: string
      /** The receiver's last response */
      response: {
        /** Its id */
        id: string
        rawId: string
        /** Its kind */
        type: 'public-key'
        authenticatorAttachment?: string | undefined
        clientExtensionResults: object
        /** The receiver's last response */
        response: {
          clientDataJSON: string
          attestationObject: string
          authenticatorData?: string | undefined
          transports?: string[] | undefined
          publicKeyAlgorithm?: number | undefined
          publicKey?: string | undefined
        }
      }
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Start to add a passkey */
  postPasskeysOptions: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** Send it back with the answer, within 5 minutes */
      challenge: string
      options: object
    }
  }
  /** Remove a passkey */
  deletePasskeysId: {
    path: {
      /** Its id */
      id: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Start to set up an authenticator app */
  postTotp: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** In base 32, to type into the app */
      secret: string
      /** Opens an authenticator app on a phone */
      uri: string
      /** The uri as a QR code; leave four modules free around it */
      qr?: {
        size: number
        /** An SVG path of the dark modules */
        path: string
      } | undefined
      /** Send it back with the first code, within 15 minutes */
      ticket: string
    }
  }
  /** Set password and authenticator app */
  putPassword: {
    body: {
      /** At least 12 characters */
      password: string
      /** From the start of the set-up */
      ticket: string
      /** Six digits of the authenticator app */
      code: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Remove password and authenticator app */
  deletePassword: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Show an invitation */
  postInvitationsShow: {
    body: {
      /** The text after `#` in the link */
      token: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** E-mail address */
        email: string
        /** Name */
        name: string
        role: string
        /** Null for the operator’s staff */
        merchant: string | null
        countries: string[]
        currencies: string[]
        isForOidc: boolean
        /** Joining also needs a code of the approver */
        needsConfirmation: boolean
        /** The person exists, and must be signed in to accept */
        isKnownPerson: boolean
        /** The person lost every way to sign in, and adds a new one; role is empty */
        isRecovery: boolean
      }
    }
  }
  /** Accept an invitation as a signed-in person */
  postInvitationsJoin: {
    body: {
      /** The text after `#` in the link */
      token: string
      /** The code that the approver of the invitation gives */
      confirmation?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Start to accept an invitation with a passkey */
  postInvitationsPasskeyOptions: {
    body: {
      /** The text after `#` in the link */
      token: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** Send it back with the answer, within 5 minutes */
      challenge: string
      options: object
    }
  }
  /** Accept an invitation with a passkey */
  postInvitationsPasskey: {
    body: {
      /** The text after `#` in the link */
      token: string
      /** The code that the approver of the invitation gives */
      confirmation?: string | undefined
      /** From the options */
      challenge: string
      /** Such as the name of the device */
      name: string
      /** The receiver's last response */
      response: {
        /** Its id */
        id: string
        rawId: string
        /** Its kind */
        type: 'public-key'
        authenticatorAttachment?: string | undefined
        clientExtensionResults: object
        /** The receiver's last response */
        response: {
          clientDataJSON: string
          attestationObject: string
          authenticatorData?: string | undefined
          transports?: string[] | undefined
          publicKeyAlgorithm?: number | undefined
          publicKey?: string | undefined
        }
      }
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Start to accept an invitation with a password */
  postInvitationsTotp: {
    body: {
      /** The text after `#` in the link */
      token: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** In base 32, to type into the app */
      secret: string
      /** Opens an authenticator app on a phone */
      uri: string
      /** The uri as a QR code; leave four modules free around it */
      qr?: {
        size: number
        /** An SVG path of the dark modules */
        path: string
      } | undefined
      /** Send it back with the first code, within 15 minutes */
      ticket: string
    }
  }
  /** Accept an invitation with a password */
  postInvitationsPassword: {
    body: {
      /** The text after `#` in the link */
      token: string
      /** The code that the approver of the invitation gives */
      confirmation?: string | undefined
      /** At least 12 characters */
      password: string
      /** From the start of the set-up */
      ticket: string
      /** Six digits of the authenticator app */
      code: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Start the sign-in of a command line */
  postDeviceCodes: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** Secret; poll with it */
      deviceCode: string
      /** Show it to the person */
      userCode: string
      /** Where the person approves it */
      verificationUrl: string
      /** Seconds */
      expiresIn: number
      /** Seconds between two polls */
      interval: number
    }
  }
  /** Exchange an approved code for a session */
  postDeviceCodesToken: {
    body: {
      deviceCode: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      token: string
      person: string
    }
  }
  /** Show the command line that waits */
  postDeviceCodesShow: {
    body: {
      /** As shown in the terminal */
      userCode: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** The cardholder's billing address */
        address: string
        /** The `User-Agent` header of the browser */
        userAgent: string
        /** ISO 8601 date-time */
        createdAt: string
      }
    }
  }
  /** Decide about a command line: approve */
  postDeviceCodesApprove: {
    body: {
      /** As shown in the terminal */
      userCode: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Decide about a command line: deny */
  postDeviceCodesDeny: {
    body: {
      /** As shown in the terminal */
      userCode: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
  postSignInPasskeyOptions: { method: 'POST', path: '/sign-in/passkey/options' },
  postSignInPasskey: { method: 'POST', path: '/sign-in/passkey' },
  postSignInPassword: { method: 'POST', path: '/sign-in/password' },
  postStepUpPasskeyOptions: { method: 'POST', path: '/step-up/passkey/options' },
  postStepUpPasskey: { method: 'POST', path: '/step-up/passkey' },
  postStepUpPassword: { method: 'POST', path: '/step-up/password' },
  getMe: { method: 'GET', path: '/me' },
  getSessions: { method: 'GET', path: '/sessions' },
  deleteSessionsId: { method: 'DELETE', path: '/sessions/{id}' },
  postSignOut: { method: 'POST', path: '/sign-out' },
  getPasskeys: { method: 'GET', path: '/passkeys' },
  postPasskeys: { method: 'POST', path: '/passkeys' },
  postPasskeysOptions: { method: 'POST', path: '/passkeys/options' },
  deletePasskeysId: { method: 'DELETE', path: '/passkeys/{id}' },
  postTotp: { method: 'POST', path: '/totp' },
  putPassword: { method: 'PUT', path: '/password' },
  deletePassword: { method: 'DELETE', path: '/password' },
  postInvitationsShow: { method: 'POST', path: '/invitations/show' },
  postInvitationsJoin: { method: 'POST', path: '/invitations/join' },
  postInvitationsPasskeyOptions: { method: 'POST', path: '/invitations/passkey/options' },
  postInvitationsPasskey: { method: 'POST', path: '/invitations/passkey' },
  postInvitationsTotp: { method: 'POST', path: '/invitations/totp' },
  postInvitationsPassword: { method: 'POST', path: '/invitations/password' },
  postDeviceCodes: { method: 'POST', path: '/device-codes' },
  postDeviceCodesToken: { method: 'POST', path: '/device-codes/token' },
  postDeviceCodesShow: { method: 'POST', path: '/device-codes/show' },
  postDeviceCodesApprove: { method: 'POST', path: '/device-codes/approve' },
  postDeviceCodesDeny: { method: 'POST', path: '/device-codes/deny' },
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
