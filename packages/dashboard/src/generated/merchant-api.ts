// Made by npm run generate from docs/reference/dashboard-openapi.json. Change the routes instead.

/**
 * What operations name.
 *
 * @public
 */
export interface Schemas {
  /** Three-letter ISO 4217 code */
  Currency: 'AOA' | 'BIF' | 'BWP' | 'CDF' | 'DJF' | 'EGP' | 'ETB' | 'EUR' | 'GBP' | 'GHS' | 'GMD' | 'GNF' | 'KES' | 'LRD' | 'LSL' | 'MAD' | 'MGA' | 'MUR' | 'MWK' | 'MZN' | 'NAD' | 'NGN' | 'RWF' | 'SCR' | 'SDG' | 'SLE' | 'SOS' | 'SSP' | 'SZL' | 'TND' | 'TZS' | 'UGX' | 'USD' | 'XAF' | 'XOF' | 'ZAR' | 'ZMW' | (string & {})
  /** SUCCESSFUL and FAILED are final */
  Status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
  /** The status in lower case */
  ChargeStatus: 'pending' | 'successful' | 'failed'
  /** Where the payment is, in more detail than its status */
  Stage: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | 'COMPLETED' | 'FAILED' | 'EXPIRED' | (string & {})
  /** Why a payment failed */
  FailureCode: 'PAYER_NOT_FOUND' | 'PAYER_LIMIT_REACHED' | 'PAYMENT_NOT_APPROVED' | 'INSUFFICIENT_BALANCE' | 'PAYMENT_IN_PROGRESS' | 'RECIPIENT_NOT_FOUND' | 'RECIPIENT_LIMIT_REACHED' | 'WALLET_LIMIT_REACHED' | 'AMOUNT_NOT_ACCEPTED' | 'DETAILS_NOT_ACCEPTED' | 'CARD_DECLINED' | 'CARD_EXPIRED' | 'SUSPECTED_FRAUD' | 'AUTHENTICATION_FAILED' | 'AUTHORISATION_LOST' | 'UNDERPAID' | 'MANUALLY_CANCELLED' | 'REJECTED_BY_APPROVER' | 'APPROVAL_EXPIRED' | 'EXPIRED' | 'REVERSED' | 'CHARGE_NOT_REFUNDABLE' | 'REFUNDED_ELSEWHERE' | 'PROVIDER_UNAVAILABLE' | 'UNSPECIFIED_FAILURE' | 'UNKNOWN_ERROR' | (string & {})
  /** What happened */
  EventName: 'transaction_created' | 'transaction_updated' | 'adjustment_created' | (string & {})
  /** deposit: a charge. withdrew: a payout. adjustment: money that moved after the end of a payment */
  TransactionType: 'deposit' | 'withdrew' | 'refund' | 'conversion' | 'adjustment' | (string & {})
  /** How the money moves */
  PaymentMethod: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | (string & {})
  /** What the customer must do now */
  NextActionType: 'NONE' | 'PIN_PROMPT' | 'OTP' | 'PIN' | 'ADDRESS' | 'REDIRECT' | 'USSD' | 'BANK_TRANSFER' | (string & {})
  /** CREATED until the first delivery attempt has ended */
  DeliveryStatus: 'CREATED' | 'FAILED' | 'SUCCESS'
  /** The kind of account */
  Destination: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | (string & {})
  /** The kind of account, or how a charge is paid */
  TransactionDestination: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | 'Card' | 'Bank Transfer' | (string & {})
  /** What a statement line is for */
  LineKind: 'payment' | 'fee' | 'exchange' | 'refund' | 'adjustment' | 'funding' | 'archived' | (string & {})
  /** Why money moved after the end of a payment */
  AdjustmentReason: 'late_success' | 'late_receipt' | 'payout_returned' | 'charge_reversed' | 'chargeback_won' | 'suspense_cleared' | 'operator' | (string & {})
  /** Into or out of your wallet */
  Direction: 'credit' | 'debit'
  /** A fault to inject into a sandbox payment */
  ScenarioName: 'lost-answer' | 'late-callback' | 'duplicate-webhook' | 'out-of-order-webhook' | 'expiry' | 'late-success' | 'late-receipt' | 'payout-returned' | 'charge-reversed' | 'chargeback-won' | (string & {})
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
  Debt: {
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** What is owed, in major units */
    amount: number
  }
  UserProfile: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** First name */
    firstName: string
    /** Last name */
    lastName: string
    /** E-mail address */
    email: string
    /** The public key of the pair that the token was issued for */
    publicKey: string
    /** Where live events go; empty when not set */
    webhookUrl: string
    /** Where sandbox events go; empty when not set */
    sandboxWebhookUrl: string
    /** One for each currency and country */
    wallets: {
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** The scope of a currency that several countries use */
      country: string
      /** available + pending */
      balance: number
      /** Available balance */
      available: number
      /** Held for pending payouts */
      pending: number
    }[]
    /** Amount that a provider took back and the wallet could not cover. It is deducted from the next credits of that wallet. */
    owed: Schemas['Debt'][]
    [name: `${string}Wallet`]: {
      /** Available balance over all countries */
      balance: number
    }
  }
  NewWebhookSecret: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** `whsec_…`; shown this once */
      secret: string
    }
  }
  Statement: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** Balance before the first line */
      opening: number
      /** Oldest first */
      lines: {
        /** ISO 8601 date-time */
        at: string
        /** Empty in a line of type `archived` */
        transactionId: string
        /** Empty if none of your requests caused it */
        externalReference: string
        /** Of the payment or posting; `archived` sums up lines of a month that the operator has archived */
        type: string
        /** payment, fee, exchange, refund, adjustment, funding or archived */
        kind: Schemas['LineKind']
        /** The payment's method; empty if no payment caused it */
        method: string
        /** The name of the payer or beneficiary, or the number if no name is known */
        counterparty: string
        /** Negative for debits */
        amount: number
        /** The balance after it */
        balance: number
      }[]
      /** Balance after the last line */
      closing: number
    }
  }
  Transaction: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: Schemas['TransactionType']
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: Schemas['Status']
    /** The same in lower case */
    chargeStatus: Schemas['ChargeStatus']
    /** In major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's side of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: Schemas['TransactionDestination']
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    /** Year, four digits */
    year: string
    /** Month, in English */
    month: string
    /** Day of the week, in English */
    day: string
    /** The account that is paid, or that pays */
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      /** Name of the account holder */
      accountName: string
      /** The kind of account: mobile money, bank, paybill or till */
      destination: Schemas['TransactionDestination']
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Number of the account, phone or till */
      accountNumber: string
    }
  }
  NextAction: {
    /** NONE, PIN_PROMPT, OTP, PIN, ADDRESS, REDIRECT or BANK_TRANSFER */
    type: Schemas['NextActionType']
    /** Sentences for the customer */
    instructions?: string[] | undefined
    /** Where to send the customer */
    redirectUrl?: string | undefined
    /** What the customer dials if no prompt appears */
    ussdCode?: string | undefined
  }
  /** Of a charge: who paid, as far as the method reveals it */
  Customer: {
    /** Of a mobile money charge */
    phoneNumber?: string | undefined
    /** Of a card charge */
    name?: string | undefined
    /** Of a card charge */
    card?: {
      /** Such as visa */
      brand: string
      /** The first six digits */
      first6: string
      /** The last four digits */
      last4: string
    } | undefined
    /** Of a bank transfer, if the provider reports it */
    accountNumber?: string | undefined
    /** Name of the bank */
    bankName?: string | undefined
  }
  /** The current state of the payment, in plain text */
  Explanation: {
    /** One sentence: what happened, what happens next, and by when */
    sentence: string
    /** The next step; null if there is none */
    next: string | null
    /** ISO 8601: the time of the next step or its deadline; null if there is none */
    by: string | null
  }
  VirtualAccount: {
    /** false: the account is closed at `expiresAt` */
    permanent: boolean
    /** Number of the account, phone or till */
    accountNumber: string
    /** Name of the bank */
    bankName: string
    /** ISO 8601 date-time */
    createdAt: string
    /** The account accepts money until then */
    expiresAt: string
    /** What to show to the customer */
    note: string
    /** The amount to transfer */
    amount: string
    /** An image with the name of the bank */
    bankLogo: string
  }
  OneTransaction: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: Schemas['TransactionType']
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: Schemas['Status']
    /** The same in lower case */
    chargeStatus: Schemas['ChargeStatus']
    /** In major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's side of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: Schemas['TransactionDestination']
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    /** Year, four digits */
    year: string
    /** Month, in English */
    month: string
    /** Day of the week, in English */
    day: string
    /** The account that is paid, or that pays */
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      /** Name of the account holder */
      accountName: string
      /** The kind of account: mobile money, bank, paybill or till */
      destination: Schemas['TransactionDestination']
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Number of the account, phone or till */
      accountNumber: string
    }
    /** Your own id of the payment */
    externalReference: string
    /** momo, card, bank-transfer or bank */
    method: Schemas['PaymentMethod']
    /** In the wallet's currency */
    fee: number
    /** AWAITING_APPROVAL, AWAITING_CUSTOMER, PROCESSING, UNCONFIRMED (being queried), COMPLETED, FAILED or EXPIRED */
    stage: Schemas['Stage']
    /** What the customer must do now */
    nextAction: Schemas['NextAction']
    /** The provider's own reference; empty while there is none */
    providerReceipt: string
    /** Of a charge: who paid, as far as the method reveals it */
    customer?: Schemas['Customer'] | undefined
    /** The current state of the payment, in plain text */
    explanation: Schemas['Explanation']
    /** Why the payment failed */
    failureReason?: {
      /** Why it failed; decide by this code */
      failureCode: Schemas['FailureCode']
      /** A sentence that you may show to the customer */
      failureMessage: string
      /** The provider's own code */
      providerCode?: string | undefined
    } | undefined
    /** The exchange rate that was used */
    rate?: {
      /** BASE/QUOTE, such as USD/KES */
      pair: string
      /** `buy` or `sell` */
      side: string
      /** Quote currency for one of the base currency, exact */
      value: string
      /** ISO 8601 date-time */
      at: string
    } | undefined
    /** Received so far, for a bank transfer charge */
    amountReceived?: number | undefined
    /** The account that the customer transfers to */
    virtualAccount?: Schemas['VirtualAccount'] | undefined
    /** Of a refund, or a payout in its place: the charge */
    refundOf?: string | undefined
    /** Of a charge: what went back by successful refunds */
    refunded?: number | undefined
    /** Of a charge: what can still be refunded; pending refunds are deducted */
    refundable?: number | undefined
    /** Of an adjustment: the payment whose money moved after its end */
    relatedTransactionId?: string | undefined
    /** Your id of that payment */
    relatedExternalReference?: string | undefined
    /** Of an adjustment: credit or debit */
    direction?: Schemas['Direction'] | undefined
    /** Of an adjustment: late_success, late_receipt, payout_returned, charge_reversed, chargeback_won, suspense_cleared or operator. Of a refund: your words */
    reason?: Schemas['AdjustmentReason'] | undefined
    /** The adjustments made after its end, oldest first; each is a transaction of its own */
    adjustments?: string[] | undefined
    /** Everything that happened, oldest first */
    timeline: {
      /** ISO 8601 date-time */
      at: string
      /** Where the payment was */
      stage: Schemas['Stage']
      /** For people; decide by `success` and `errorCode` */
      message: string
    }[]
  }
  EntryAccount: {
    /** wallet, in_progress, fees, provider, exchange, suspense, debt, operator or other */
    kind: Schemas['LineKind']
    /** For people, such as `Your KES wallet` */
    name: string
    /** Of a wallet or a provider; otherwise empty */
    country: string
  }
  LedgerEntry: {
    /** Of the posting: a hold and its end have the same number */
    number: number
    /** `hold`, `posted` or `released` */
    kind: Schemas['LineKind']
    event: Schemas['EventName']
    debit: Schemas['EntryAccount']
    credit: Schemas['EntryAccount']
    /** In major units */
    amount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** ISO 8601 date-time */
    at: string
  }
  EntrySum: {
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** What is posted or held. A hold and its posting count once */
    debits: number
    credits: number
    /** The part that is still held */
    held: number
    /** Debits less credits in minor units. Always `0` */
    difference: string
  }
  Flow: {
    /** charge, payout, refund, fee, exchange, conversion, adjustment, funding or archived */
    kind: Schemas['LineKind']
    /** Of charges and payouts; otherwise empty */
    method: string
    /** In major units */
    amount: number
    /** Lines of the statement */
    count: number
  }
  MoneyFlow: {
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** Balance before the first line */
    opening: number
    in: Schemas['Flow'][]
    totalIn: number
    out: Schemas['Flow'][]
    totalOut: number
    /** Balance after the last line */
    closing: number
    /** `opening` plus `in` is `out` plus `fees` plus `closing`, exactly. `fees` are less those that were given back; `in` and `out` are without fees */
    totals: {
      in: number
      out: number
      fees: number
    }
  }
  SavedView: {
    /** Its id */
    id: string
    page: 'payments'
    /** Name */
    name: string
    /** Filters of the search, but not `q`: it may be personal data */
    filters: {
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** Only pending transactions in this stage */
      stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
      /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
      type?: string | undefined
      /** momo, card, bank-transfer, bank or conversion */
      method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
      /** Three-letter ISO 4217 code */
      currency?: Schemas['Currency'] | undefined
      /** Two-letter code */
      country?: string | undefined
      /** At least this much, in major units of the transaction’s currency */
      minAmount?: number | undefined
      /** At most this much */
      maxAmount?: number | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
    }
    /** Others of the merchant read it too */
    isShared: boolean
    /** You may change and delete it */
    isOwn: boolean
    /** The name of the person */
    savedBy: string
  }
  Attention: {
    payoutsToApprove: number
    webhookEndpoints: {
      failing: number
      disabled: number
    }
    /** In doubt for payments of 15 minutes and older */
    inDoubt: {
      count: number
      /** The oldest, at most 5 */
      transactionIds: string[]
    }
    /** Open bank transfer charges that received a part of their amount */
    underpaid: {
      count: number
      /** The oldest, at most 5 */
      transactionIds: string[]
    }
    walletsBelowZero: {
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Two-letter ISO 3166-1 code */
      country: string
      /** What a provider took back and the wallet did not have */
      owed: number
    }[]
  }
  Summary: {
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Used lately, the newest first */
    currencies: string[]
    zone: string
    /** When it was counted */
    at: string
    today: {
      /** YYYY-MM-DD, in the zone */
      day: string
      collected: {
        /** In major units */
        amount: number
        count: number
      }
      paidOut: {
        /** In major units */
        amount: number
        count: number
      }
      refunded: {
        /** In major units */
        amount: number
        count: number
      }
      /** Charges that ended; their success rate is `successful` / `ended` */
      charges: {
        successful: number
        ended: number
      }
    }
    /** The same weekday a week ago, up to the same time */
    lastWeek: {
      /** YYYY-MM-DD, in the zone */
      day: string
      collected: {
        /** In major units */
        amount: number
        count: number
      }
      paidOut: {
        /** In major units */
        amount: number
        count: number
      }
      refunded: {
        /** In major units */
        amount: number
        count: number
      }
      /** Charges that ended; their success rate is `successful` / `ended` */
      charges: {
        successful: number
        ended: number
      }
    }
    inProgress: {
      /** In major units */
      amount: number
      count: number
      inDoubt: {
        /** In major units */
        amount: number
        count: number
      }
      awaitingCustomer: {
        /** In major units */
        amount: number
        count: number
      }
      awaitingApproval: {
        /** In major units */
        amount: number
        count: number
      }
    }
    /** The 24 hours of today, and of the whole day a week ago. `in` adds up to what was collected, `out` to what was paid out, `refunded` to what was refunded */
    hours: {
      hour: number
      /** Amount by method */
      in: {
        [name: string]: number
      }
      /** Amount by method */
      out: {
        [name: string]: number
      }
      refunded: number
      lastWeekIn: number
      lastWeekOut: number
      lastWeekRefunded: number
    }[]
    /** Charges of the last 7 days that ended, today included, oldest day first */
    methods: {
      /** `momo` or `bank` */
      method: string
      successful: number
      ended: number
      days: {
        /** Day of the week, in English */
        day: string
        successful: number
        ended: number
      }[]
    }[]
    attention: Schemas['Attention']
  }
  FoundTransaction: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: string
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: string
    /** The same in lower case */
    chargeStatus: Schemas['ChargeStatus']
    /** In major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's side of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: string
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    /** Year, four digits */
    year: string
    /** Month, in English */
    month: string
    /** Day of the week, in English */
    day: string
    /** The account that is paid, or that pays */
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      /** Name of the account holder */
      accountName: string
      /** The kind of account: mobile money, bank, paybill or till */
      destination: string
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Number of the account, phone or till */
      accountNumber: string
    }
    /** Your own id of the payment */
    externalReference: string
    /** momo, card, bank-transfer or bank */
    method: string
    /** In the wallet's currency */
    fee: number
    /** AWAITING_APPROVAL, AWAITING_CUSTOMER, PROCESSING, UNCONFIRMED (being queried), COMPLETED, FAILED or EXPIRED */
    stage: Schemas['Stage']
    /** What the customer must do now */
    nextAction: Schemas['NextAction']
    /** The provider's own reference; empty while there is none */
    providerReceipt: string
    /** Of a charge: who paid, as far as the method reveals it */
    customer?: Schemas['Customer'] | undefined
    /** The current state of the payment, in plain text */
    explanation: Schemas['Explanation']
    /** Why the payment failed */
    failureReason?: {
      /** Why it failed; decide by this code */
      failureCode: Schemas['FailureCode']
      /** A sentence that you may show to the customer */
      failureMessage: string
      /** The provider's own code */
      providerCode?: string | undefined
    } | undefined
    /** The exchange rate that was used */
    rate?: {
      /** BASE/QUOTE, such as USD/KES */
      pair: string
      /** `buy` or `sell` */
      side: string
      /** Quote currency for one of the base currency, exact */
      value: string
      /** ISO 8601 date-time */
      at: string
    } | undefined
    /** Received so far, for a bank transfer charge */
    amountReceived?: number | undefined
    /** The account that the customer transfers to */
    virtualAccount?: Schemas['VirtualAccount'] | undefined
    /** Of a refund, or a payout in its place: the charge */
    refundOf?: string | undefined
    /** Of a charge: what went back by successful refunds */
    refunded?: number | undefined
    /** Of a charge: what can still be refunded; pending refunds are deducted */
    refundable?: number | undefined
    /** Of an adjustment: the payment whose money moved after its end */
    relatedTransactionId?: string | undefined
    /** Your id of that payment */
    relatedExternalReference?: string | undefined
    /** Of an adjustment: credit or debit */
    direction?: Schemas['Direction'] | undefined
    /** Of an adjustment: late_success, late_receipt, payout_returned, charge_reversed, chargeback_won, suspense_cleared or operator. Of a refund: your words */
    reason?: string | undefined
    /** The adjustments made after its end, oldest first; each is a transaction of its own */
    adjustments?: string[] | undefined
  }
  AcceptedPayout: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** PENDING, then SUCCESSFUL or FAILED */
    status: Schemas['Status']
    /** Your own id of the payment */
    externalReference: string
  }
  PayoutToExternalAccount: {
    /** The exact amount the beneficiary receives, in major units */
    amount: number
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** The external account that is paid */
    externalAccountId: string
    /** What the beneficiary gets */
    currency?: Schemas['Currency'] | undefined
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country?: string | undefined
    /** The kind of account: mobile money, bank, paybill or till */
    destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
    /** May be left out; if sent, it must match the external account */
    payoutMethod?: {
      /** Name of the account holder */
      accountName?: string | undefined
      /** A phone number in international form, an account number, a customer of a business, or a till */
      accountNumber?: string | undefined
      /** Operator id or bank code */
      code?: string | undefined
      /** For banks in Uganda and Tanzania */
      branchCode?: string | undefined
      /** For Paybill */
      businessNumber?: string | undefined
    } | undefined
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
    /** A charge that this payout refunds, where its provider makes no refunds */
    refundOf?: string | undefined
  }
  PayoutToMobileMoney: {
    /** The exact amount the beneficiary receives, in major units */
    amount: number
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'MoMo'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Phone number in international form, such as +254703456789 */
      accountNumber: string
      /** Operator id; needed where the number does not identify the operator */
      code?: string | undefined
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
    /** A charge that this payout refunds, where its provider makes no refunds */
    refundOf?: string | undefined
  }
  PayoutToBank: {
    /** The exact amount the beneficiary receives, in major units */
    amount: number
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'Bank Account'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Account number */
      accountNumber: string
      /** Bank code, from `GET /utilities/banks` */
      code: string
      /** Required in Uganda and Tanzania */
      branchCode?: string | undefined
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
    /** A charge that this payout refunds, where its provider makes no refunds */
    refundOf?: string | undefined
  }
  PayoutToPaybill: {
    /** The exact amount the beneficiary receives, in major units */
    amount: number
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'Paybill'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Your account with the business */
      accountNumber: string
      /** Paybill number of the business */
      businessNumber: string
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
    /** A charge that this payout refunds, where its provider makes no refunds */
    refundOf?: string | undefined
  }
  PayoutToTill: {
    /** The exact amount the beneficiary receives, in major units */
    amount: number
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'Till'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Till number */
      accountNumber: string
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
    /** A charge that this payout refunds, where its provider makes no refunds */
    refundOf?: string | undefined
  }
  PayoutByQuote: {
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** Executes this quote; nothing else is needed beside it */
    quoteId: string
    /** If sent, it must be the quoted one */
    amount?: number | undefined
    /** A charge that this payout refunds, where its provider makes no refunds */
    refundOf?: string | undefined
  }
  Payout: Schemas['PayoutToExternalAccount'] | Schemas['PayoutToMobileMoney'] | Schemas['PayoutToBank'] | Schemas['PayoutToPaybill'] | Schemas['PayoutToTill'] | Schemas['PayoutByQuote']
  BulkResults: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** true when the request succeeded, false when it was refused */
      success: boolean
      /** For people; decide by `success` and `errorCode` */
      message: string
      /** Your own id of the payment */
      externalReference: string
      /** Malipo’s id of the payment, `txn_…` */
      transactionId?: string | undefined
      /** What failed; see the list of error codes */
      errorCode?: string | undefined
    }[]
  }
  Quote: {
    /** Execute it with this id, once */
    quoteId: string
    /** ISO 8601: until then it can be executed */
    expiresAt: string
    /** Of a payout: what the beneficiary gets */
    amount?: number | undefined
    /** Of that amount */
    currency?: Schemas['Currency'] | undefined
    /** Of a payout: in the wallet's currency */
    fee?: number | undefined
    /** Of a payout: what leaves the wallet, fee included */
    debitAmount?: number | undefined
    /** Of the wallet that pays */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Of the wallet that pays */
    debitCountry?: string | undefined
    /** Of a conversion: what leaves the first wallet */
    fromAmount?: number | undefined
    /** Of the first wallet */
    fromCurrency?: string | undefined
    /** Of the first wallet */
    fromCountry?: string | undefined
    /** Of a conversion: what the second wallet gets */
    toAmount?: number | undefined
    /** Of the second wallet */
    toCurrency?: string | undefined
    /** Of the second wallet */
    toCountry?: string | undefined
    /** The exchange rate that was used */
    rate?: {
      /** BASE/QUOTE, such as USD/KES */
      pair: string
      /** `buy` or `sell` */
      side: string
      /** Quote currency for one of the base currency, exact */
      value: string
      /** ISO 8601 date-time */
      at: string
    } | undefined
  }
  QuoteOfPayoutToExternalAccount: {
    /** What the beneficiary receives; or send `debitAmount` */
    amount?: number | undefined
    /** What may leave the wallet, fee included */
    debitAmount?: number | undefined
    /** The external account that is paid */
    externalAccountId: string
    /** What the beneficiary gets */
    currency?: Schemas['Currency'] | undefined
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country?: string | undefined
    /** The kind of account: mobile money, bank, paybill or till */
    destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
    /** May be left out; if sent, it must match the external account */
    payoutMethod?: {
      /** Name of the account holder */
      accountName?: string | undefined
      /** A phone number in international form, an account number, a customer of a business, or a till */
      accountNumber?: string | undefined
      /** Operator id or bank code */
      code?: string | undefined
      /** For banks in Uganda and Tanzania */
      branchCode?: string | undefined
      /** For Paybill */
      businessNumber?: string | undefined
    } | undefined
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
  }
  QuoteOfPayoutToMobileMoney: {
    /** What the beneficiary receives; or send `debitAmount` */
    amount?: number | undefined
    /** What may leave the wallet, fee included */
    debitAmount?: number | undefined
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'MoMo'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Phone number in international form, such as +254703456789 */
      accountNumber: string
      /** Operator id; needed where the number does not identify the operator */
      code?: string | undefined
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
  }
  QuoteOfPayoutToBank: {
    /** What the beneficiary receives; or send `debitAmount` */
    amount?: number | undefined
    /** What may leave the wallet, fee included */
    debitAmount?: number | undefined
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'Bank Account'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Account number */
      accountNumber: string
      /** Bank code, from `GET /utilities/banks` */
      code: string
      /** Required in Uganda and Tanzania */
      branchCode?: string | undefined
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
  }
  QuoteOfPayoutToPaybill: {
    /** What the beneficiary receives; or send `debitAmount` */
    amount?: number | undefined
    /** What may leave the wallet, fee included */
    debitAmount?: number | undefined
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'Paybill'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Your account with the business */
      accountNumber: string
      /** Paybill number of the business */
      businessNumber: string
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
  }
  QuoteOfPayoutToTill: {
    /** What the beneficiary receives; or send `debitAmount` */
    amount?: number | undefined
    /** What may leave the wallet, fee included */
    debitAmount?: number | undefined
    /** What the beneficiary gets */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code of the beneficiary */
    country: string
    /** The kind of account */
    destination: 'Till'
    /** The account that is paid */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Till number */
      accountNumber: string
    }
    /** Wallet to debit; `currency` if omitted */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
  }
  QuoteOfConversionByAmount: {
    /** Wallet that pays */
    fromCurrency: string
    /** Country of the first wallet, if several have its currency */
    fromCountry?: string | undefined
    /** Wallet that is credited */
    toCurrency: string
    /** Country of the second wallet, if several have its currency */
    toCountry?: string | undefined
    /** What leaves the first wallet, in major units */
    amount: number
  }
  QuoteOfConversionByTarget: {
    /** Wallet that pays */
    fromCurrency: string
    /** Country of the first wallet, if several have its currency */
    fromCountry?: string | undefined
    /** Wallet that is credited */
    toCurrency: string
    /** Country of the second wallet, if several have its currency */
    toCountry?: string | undefined
    /** What the second wallet gets, in major units */
    toAmount: number
  }
  QuoteRequest: Schemas['QuoteOfPayoutToExternalAccount'] | Schemas['QuoteOfPayoutToMobileMoney'] | Schemas['QuoteOfPayoutToBank'] | Schemas['QuoteOfPayoutToPaybill'] | Schemas['QuoteOfPayoutToTill'] | Schemas['QuoteOfConversionByAmount'] | Schemas['QuoteOfConversionByTarget']
  PayoutProblem: {
    /** The field of the request that it is about */
    field: string
    /** What the payout would get */
    errorCode: string
    /** For people; decide by `success` and `errorCode` */
    message: string
    /** What to do about it */
    fix: string
  }
  ValidatedPayout: {
    /** Whether the payout would be accepted now */
    isAcceptable: boolean
    /** Every reason to refuse it; empty if it is acceptable */
    problems: Schemas['PayoutProblem'][]
    /** Your id of the payout */
    externalReference?: string | undefined
    /** What the beneficiary gets */
    amount?: number | undefined
    /** Of that amount */
    currency?: Schemas['Currency'] | undefined
    /** In the wallet's currency */
    fee?: number | undefined
    /** What leaves the wallet, fee included */
    debitAmount?: number | undefined
    /** Of the wallet that pays */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Of the wallet that pays */
    debitCountry?: string | undefined
    /** The exchange rate that was used */
    rate?: {
      /** BASE/QUOTE, such as USD/KES */
      pair: string
      /** `buy` or `sell` */
      side: string
      /** Quote currency for one of the base currency, exact */
      value: string
      /** ISO 8601 date-time */
      at: string
    } | undefined
    /** It would be accepted and wait until a person of yours approves it */
    needsApproval?: boolean | undefined
    /** Id of the operator */
    operator?: {
      /** Its id */
      id: string
      /** Name */
      name: string
    } | undefined
    /** The operator's limits, in `currency` */
    limits?: {
      /** Smallest amount */
      min: number
      /** Largest amount */
      max: number
    } | undefined
    /** The holder's name by the provider, where it resolves names; empty if it knows no such account */
    accountName?: string | undefined
    /** From 0 to 1: how well that name matches the one in the request */
    nameMatch?: number | undefined
  }
  ValidatedItem: {
    /** Whether the payout would be accepted now */
    isAcceptable: boolean
    /** Every reason to refuse it; empty if it is acceptable */
    problems: Schemas['PayoutProblem'][]
    /** Your id of the payout */
    externalReference?: string | undefined
    /** What the beneficiary gets */
    amount?: number | undefined
    /** Of that amount */
    currency?: Schemas['Currency'] | undefined
    /** In the wallet's currency */
    fee?: number | undefined
    /** What leaves the wallet, fee included */
    debitAmount?: number | undefined
    /** Of the wallet that pays */
    debitCurrency?: Schemas['Currency'] | undefined
    /** Of the wallet that pays */
    debitCountry?: string | undefined
    /** The exchange rate that was used */
    rate?: {
      /** BASE/QUOTE, such as USD/KES */
      pair: string
      /** `buy` or `sell` */
      side: string
      /** Quote currency for one of the base currency, exact */
      value: string
      /** ISO 8601 date-time */
      at: string
    } | undefined
    /** It would be accepted and wait until a person of yours approves it */
    needsApproval?: boolean | undefined
    /** Id of the operator */
    operator?: {
      /** Its id */
      id: string
      /** Name */
      name: string
    } | undefined
    /** The operator's limits, in `currency` */
    limits?: {
      /** Smallest amount */
      min: number
      /** Largest amount */
      max: number
    } | undefined
  }
  WalletTotal: {
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** Without the fees */
    amount: number
    /** All fees */
    fee: number
    /** Amount and fees */
    debitAmount: number
    /** What the wallet has now */
    available: number
    /** What it lacks; 0 if it has enough */
    missing: number
  }
  ValidatedBulk: {
    /** Whether all of them would be accepted */
    isAcceptable: boolean
    /** In the order of the request */
    items: Schemas['ValidatedItem'][]
    /** For each wallet, of the payouts that only missing funds could refuse */
    totals: Schemas['WalletTotal'][]
  }
  AcceptedRefund: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
    /** The id of the refund, a transaction of its own */
    transactionId: string
    /** The id of the charge */
    refundOf: string
    /** PENDING, then SUCCESSFUL or FAILED */
    status: string
    /** Your own id of the payment */
    externalReference: string
    /** In major units */
    amount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
  }
  Refund: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: string
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: string
    /** The same in lower case */
    chargeStatus: Schemas['ChargeStatus']
    /** In major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's side of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: string
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    /** Year, four digits */
    year: string
    /** Month, in English */
    month: string
    /** Day of the week, in English */
    day: string
    /** The account that is paid, or that pays */
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      /** Name of the account holder */
      accountName: string
      /** The kind of account: mobile money, bank, paybill or till */
      destination: string
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Number of the account, phone or till */
      accountNumber: string
    }
    /** Your own id of the payment */
    externalReference: string
    /** Of a refund, or a payout in its place: the charge */
    refundOf?: string | undefined
    /** Your id of the charge */
    relatedExternalReference: string
    /** `momo` or `bank` */
    method: string
    /** In the wallet's currency */
    fee: number
    /** Where the payment was */
    stage: Schemas['Stage']
    /** Your words */
    reason?: string | undefined
    /** Why the payment failed */
    failureReason?: {
      /** Why it failed; decide by this code */
      failureCode: Schemas['FailureCode']
      /** A sentence that you may show to the customer */
      failureMessage: string
      /** The provider's own code */
      providerCode?: string | undefined
    } | undefined
  }
  Converted: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** PENDING, then SUCCESSFUL or FAILED */
    status: string
    /** Your own id of the payment */
    externalReference: string
    /** What left the first wallet */
    fromAmount: number
    /** Of the first wallet */
    fromCurrency: string
    /** Of the first wallet */
    fromCountry: string
    /** What the second wallet got */
    toAmount: number
    /** Of the second wallet */
    toCurrency: string
    /** Of the second wallet */
    toCountry: string
    /** The exchange rate that was used */
    rate: {
      /** BASE/QUOTE, such as USD/KES */
      pair: string
      /** `buy` or `sell` */
      side: string
      /** Quote currency for one of the base currency, exact */
      value: string
      /** ISO 8601 date-time */
      at: string
    }
  }
  ConversionByAmount: {
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** Wallet that pays */
    fromCurrency: string
    /** Country of the first wallet, if several have its currency */
    fromCountry?: string | undefined
    /** Wallet that is credited */
    toCurrency: string
    /** Country of the second wallet, if several have its currency */
    toCountry?: string | undefined
    /** What leaves the first wallet, in major units */
    amount: number
  }
  ConversionByTarget: {
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** Wallet that pays */
    fromCurrency: string
    /** Country of the first wallet, if several have its currency */
    fromCountry?: string | undefined
    /** Wallet that is credited */
    toCurrency: string
    /** Country of the second wallet, if several have its currency */
    toCountry?: string | undefined
    /** What the second wallet gets, in major units */
    toAmount: number
  }
  ConversionByQuote: {
    /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
    externalReference: string
    /** The quote to execute */
    quoteId: string
  }
  Conversion: Schemas['ConversionByAmount'] | Schemas['ConversionByTarget'] | Schemas['ConversionByQuote']
  WebhookData: {
    /** Our id of the payment, `txn_…` */
    transactionId: string
    /** Your id of the payment */
    externalReference: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: Schemas['TransactionType']
    /** pending, successful or failed */
    status: Schemas['ChargeStatus']
    /** The same as status */
    chargeStatus: Schemas['ChargeStatus']
    /** The requested amount, in major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** momo, card, bank-transfer or bank */
    method: Schemas['PaymentMethod']
    /** In the wallet's currency */
    fee: number
    /** Of a bank transfer charge that has ended: the amount received */
    amountReceived?: number | undefined
    /** Of a charge: who paid, as far as the method reveals it */
    customer?: Schemas['Customer'] | undefined
    /** Why the payment failed */
    failureReason?: {
      /** Why it failed; decide by this code */
      failureCode: Schemas['FailureCode']
      /** A sentence that you may show to the customer */
      failureMessage: string
      /** The provider's own code */
      providerCode?: string | undefined
    } | undefined
    /** Of a failed payout or refund: its money is back in your wallet already */
    walletReversed?: true | undefined
    /** Of a refund, or a payout in its place: the charge */
    refundOf?: string | undefined
    /** Of an adjustment: the payment whose money moved after its end */
    relatedTransactionId?: string | undefined
    /** Your id of that payment */
    relatedExternalReference?: string | undefined
    /** Of an adjustment: credit or debit */
    direction?: Schemas['Direction'] | undefined
    /** Of an adjustment: late_success, late_receipt, payout_returned, charge_reversed, chargeback_won, suspense_cleared or operator. Of a refund: your words */
    reason?: Schemas['AdjustmentReason'] | undefined
  }
  WebhookRecord: {
    /** The id of the record. At the default endpoint it is the id of the event */
    id: string
    /** `default`, or the id of an endpoint that you added */
    endpointId: string
    /** The same as `id` in the body and as the header `webhook-id`, at every endpoint and every attempt */
    eventId: string
    /** ISO 8601 date-time */
    createdAt: string
    /** transaction_created or transaction_updated */
    event: Schemas['EventName']
    /** The requested data */
    data: Schemas['WebhookData']
    /** The receiver's last response */
    response: {
      /** HTTP status of the last response; empty if there was none */
      status: string
      /** Its first 2 KiB */
      body?: string | undefined
      /** Milliseconds until the response */
      durationMs?: number | undefined
      /** Why there was no response */
      error?: string | undefined
    }
    /** Where the webhook was sent */
    webhookUrl: string
    /** CREATED until the first attempt has ended, then SUCCESS or FAILED */
    status: Schemas['DeliveryStatus']
    /** Number of delivery attempts */
    attempts: number
    /** ISO 8601 time of the next attempt, while one is due */
    nextAttemptAt?: string | undefined
  }
  FeedLine: {
    /** Without a gap, for each merchant and environment */
    number: number
    /** `wh_…`, the same for every attempt: ignore one that you have already processed */
    id: string
    /** transaction_created or transaction_updated or adjustment_created */
    event: Schemas['EventName']
    /** The requested data */
    data: Schemas['WebhookData']
    /** When it happened, ISO 8601 */
    timestamp: string
    /** Counts the events of one payment from 1: ignore one that is lower than the last you processed */
    sequence: number
  }
  Resent: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
  }
  WebhookEndpoint: {
    /** `default` for the URL of the profile */
    id: string
    /** Where events are posted */
    url: string
    /** Your words */
    description: string
    /** Empty: all events */
    events: string[]
    /** false: disabled by you, or by Malipo after 5 days of failures or a 410 */
    isEnabled: boolean
    /** How its deliveries fare */
    health: {
      /** failing: the last delivery failed; disabled: it gets no deliveries */
      status: 'healthy' | 'failing' | 'disabled'
      /** Failed deliveries in a row */
      failures: number
      /** ISO 8601: the first of these failures */
      failingSince?: string | undefined
      /** ISO 8601 */
      disabledAt?: string | undefined
    }
    /** `whsec_…`; only in the response that creates the endpoint, and shown this once */
    secret?: string | undefined
  }
  WebhookEndpointDeleted: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
  }
  LoggedRequest: {
    /** ISO 8601 date-time */
    at: string
    /** `momo` or `bank` */
    method: string
    /** The route below `/api/b2b`, with the names of its parameters and not their values */
    path: string
    /** PENDING, then SUCCESSFUL or FAILED */
    status: number
    /** What failed; see the list of error codes */
    errorCode?: string | undefined
    /** Milliseconds until the response */
    durationMs: number
    /** The same as the header `X-Request-Id` of the response */
    requestId: string
    /** The public key of the key pair, or the id of the person */
    credential: string
    /** The IP address of your server; empty for a person */
    address: string
    /** Malipo’s id of the payment, `txn_…` */
    transactionId?: string | undefined
    /** The body of a refused request or of one that moves money, masked, at most 4 KiB */
    body?: unknown | undefined
  }
  Created: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
    /** The requested data */
    data: {
      /** Its id */
      id: string
    }
  }
  Done: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** For people; decide by `success` and `errorCode` */
    message: string
  }
  ExternalAccount: {
    /** Id of the external account, `ea_…` */
    externalAccountId: string
    /** Two-letter ISO 3166-1 code */
    country: string
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** The kind of account: mobile money, bank, paybill or till */
    destination: Schemas['Destination']
    /** payout or deposit */
    type: string
    /** Unix timestamp in seconds */
    createdAt: number
    /** The account of the destination */
    payoutMethod: {
      /** Name of the account holder */
      accountName: string
      /** Number of the account, phone or till */
      accountNumber: string
      /** The bank, or the operator; the operator is derived from the number if none was named */
      code: string
      /** Code of the bank branch */
      branchCode: string
      /** Paybill number of the business */
      businessNumber?: string | undefined
    }
  }
  Countries: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** Name */
      name: string
      /** Two-letter ISO 3166-1 code */
      iso2: string
      /** Three-letter ISO 3166-1 code */
      iso3: string
      /** Dialling code, with its plus */
      dialing_code: string
      /** Its currency */
      currency: {
        /** Three-letter ISO 4217 code */
        code: string
        /** Sign of the currency */
        symbol: string
        /** Number of decimals */
        decimal: string
      }
    }[]
  }
  Banks: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** Its id */
      id: number
      /** `code` of a payout method */
      code: string
      /** Name */
      name: string
      /** Two-letter ISO 3166-1 code */
      country: string
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Whether `GET /utilities/branches` lists branches of the bank */
      hasBranches: boolean
    }[]
  }
  Branches: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** Its id */
      id: number
      /** Send it as `branchCode` */
      branch_code: string
      /** Name of the branch */
      branch_name: string
      /** SWIFT code, where known */
      swift_code: string | null
      /** BIC, where known */
      bic: string | null
      /** `id` of its bank */
      bank_id: number
    }[]
  }
  MomoOperators: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** Its id */
      id: string
      /** Name */
      name: string
      /** Two-letter ISO 3166-1 code */
      country: string
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** PROVIDER_AUTH: a prompt on the phone. PREAUTH: the customer gets a code first; send it as `otpCode`. REDIRECT: a page of the operator. VOUCHER: a voucher; send it as `voucherPin`. */
      authType: string
      /** Decimals that it accepts */
      decimals: number
      /** Per payment, in major units; empty while unknown */
      deposit: {
        /** Smallest amount */
        min?: number | undefined
        /** Largest amount */
        max?: number | undefined
      }
      /** Per payment, in major units; empty while unknown */
      payout: {
        /** Smallest amount */
        min?: number | undefined
        /** Largest amount */
        max?: number | undefined
      }
      /** Prefixes of its numbers after the dialling code */
      prefixes: string[]
      /** The code a customer dials to approve or to get a code; may be empty */
      ussdCode: string
      /** AVAILABLE; DEGRADED: the service behind it is paused or does not respond, so that payments wait or are refused for now; UNAVAILABLE: listed, but payments are refused */
      status: string
    }[]
  }
  HistoricalRates: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** BASE/QUOTE, such as USD/KES */
      currencyPair: string
      /** QUOTE you get for one BASE */
      buy: number
      /** QUOTE you pay for one BASE */
      sell: number
      /** ISO 8601 date-time */
      updatedAt: string
    }[]
  }
  LiveRate: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** BASE/QUOTE, such as USD/KES */
      currencyPair: string
      /** QUOTE you get for one BASE */
      buy: number
      /** QUOTE you pay for one BASE */
      sell: number
      /** ISO 8601 date-time */
      updatedAt: string
      /** Currency that is exchanged */
      from: string
      /** Currency that it is exchanged into */
      to: string
      /** In `from` */
      amount: number
      /** Current value of the amount in `to`, rounded down */
      converted: number
    }
  }
  ResolvedAccount: {
    /** true when the request succeeded, false when it was refused */
    success: true
    /** The requested data */
    data: {
      /** Stable id of the account */
      accountId: string
      /** Name of the account holder */
      accountName: string
    }
  }
  WaitingPayout: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: string
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: string
    /** The same in lower case */
    chargeStatus: Schemas['ChargeStatus']
    /** In major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's side of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: string
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    /** Year, four digits */
    year: string
    /** Month, in English */
    month: string
    /** Day of the week, in English */
    day: string
    /** The account that is paid, or that pays */
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      /** Name of the account holder */
      accountName: string
      /** The kind of account: mobile money, bank, paybill or till */
      destination: string
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Number of the account, phone or till */
      accountNumber: string
    }
    /** Your own id of the payment */
    externalReference: string
    /** The person or key pair that created it, who cannot approve it */
    madeBy: string
    /** Of a person */
    madeByName?: string | undefined
    /** Why it needs approval: above_amount, new_beneficiary, bulk */
    reasons: string[]
    /** Rejected then, if no person decides before */
    expiresAt: string
  }
  DecidedPayout: {
    /** Malipo’s id of the payment, `txn_…` */
    transactionId: string
    /** deposit, withdrew, refund, conversion or adjustment */
    type: string
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: string
    /** The same in lower case */
    chargeStatus: Schemas['ChargeStatus']
    /** In major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's side of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    /** Three-letter ISO 4217 code */
    currency: Schemas['Currency']
    /** Currency of `senderAmount` */
    senderCurrency: Schemas['Currency']
    /** Currency of `receiverAmount` */
    receiverCurrency: Schemas['Currency']
    /** Two-letter ISO 3166-1 code */
    country: string
    /** The kind of account: mobile money, bank, paybill or till */
    destination: string
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    /** Year, four digits */
    year: string
    /** Month, in English */
    month: string
    /** Day of the week, in English */
    day: string
    /** The account that is paid, or that pays */
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      /** Name of the account holder */
      accountName: string
      /** The kind of account: mobile money, bank, paybill or till */
      destination: string
      /** Three-letter ISO 4217 code */
      currency: Schemas['Currency']
      /** Number of the account, phone or till */
      accountNumber: string
    }
    /** Your own id of the payment */
    externalReference: string
    /** The person or key pair that created it, who cannot approve it */
    madeBy: string
    /** Of a person */
    madeByName?: string | undefined
    /** approved or rejected */
    decision: string
    /** Id of the person */
    decidedBy: string
    decidedByName: string
    decidedAt: string
    reason: string
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
  NewKeyPair: {
    publicKey: string
    /** Shown once */
    apiKey: string
    env: 'live' | 'sandbox'
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
  Team: {
    people: {
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
    }[]
    invitations: {
      /** Its id */
      id: string
      /** Name */
      name: string
      /** E-mail address */
      email: string
      role: string
      countries: string[]
      currencies: string[]
      invitedBy: string
      expiresAt: string
    }[]
  }
  NewInvitation: {
    /** Its id */
    id: string
    /** Shown once */
    link: string
    expiresAt: string
    /** Joining needs a code too: another person makes it */
    needsConfirmation: boolean
  }
  AuditEntry: {
    /** Its id */
    id: string
    /** ISO 8601 date-time */
    at: string
    actor: {
      /** person, credential, system, anonymous, or operator for its staff and machines */
      kind: Schemas['LineKind']
      /** Its id */
      id: string
      /** Name */
      name: string
    }
    action: string
    /** done or refused */
    result: string
    subject: string
    detail: {
      [name: string]: unknown
    }
    reason?: string | undefined
    requestId?: string | undefined
    /** The cardholder's billing address */
    address?: string | undefined
    /** The `User-Agent` header of the browser */
    userAgent?: string | undefined
    role?: string | undefined
    strength?: string | undefined
  }
  ArmedScenario: {
    /** Your own id of the payment */
    externalReference: string
    /** The fault to inject */
    scenario: Schemas['ScenarioName']
    /** ISO 8601 date-time */
    setAt: string
  }
  AdvancedClock: {
    /** How far the clock was moved */
    seconds: number
    /** Open payments that were brought forward */
    payments: number
    /** Webhooks that waited for a retry */
    webhooks: number
  }
}

/** What each operation takes, and what it answers. */
export interface Operations {
  /** Read the profile */
  getUsers: {
    answer: Schemas['UserProfile']
  }
  /** Get a new webhook signing secret */
  postUsersWebhookSecretRotate: {
    answer: Schemas['NewWebhookSecret']
  }
  /** Read a wallet's statement */
  getWalletsStatement: {
    query: {
      /** Three-letter code of the wallet */
      currency: string
      /** The wallet's country; required only if the currency has several */
      country?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** From the `Link` header of the previous page */
      cursor?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: Schemas['Statement']
  }
  /** List transactions */
  getTransactions: {
    query?: {
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
      type?: string | undefined
      /** Your own id of the payment */
      externalReference?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** 3 if omitted */
      limit?: number | undefined
      /** Only transactions older than this one */
      transactionId?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Transaction'][]
    }
  }
  /** Read a transaction */
  getTransactionsTransactionId: {
    path: {
      /** The id of the payment, or your external reference */
      transactionId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['OneTransaction']
    }
  }
  /** Read a transaction's double entries */
  getTransactionsTransactionIdEntries: {
    path: {
      /** Malipo’s id of the payment, `txn_…` */
      transactionId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        entries: Schemas['LedgerEntry'][]
        sums: Schemas['EntrySum'][]
        /** YYYY-MM, if the operator has archived the entries of the payment's month: then only entries that were booked later are here */
        archivedMonth?: string | undefined
      }
    }
  }
  /** Follow payments as they happen */
  getStream: {
    query?: {
      /** The `id` of the last event that you have; from now on if omitted */
      since?: number | undefined
    }
    answer: unknown
  }
  /** Add up a wallet's money in and out */
  getMoneyFlow: {
    query: {
      /** Three-letter code of the wallet */
      currency: string
      /** The wallet's country; required only if the currency has several */
      country?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate: string
      /** The last day, inclusive */
      endDate: string
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['MoneyFlow']
    }
  }
  /** List saved views */
  getSavedViews: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['SavedView'][]
    }
  }
  /** Save a view */
  postSavedViews: {
    body: {
      page: 'payments'
      /** Name */
      name: string
      /** Filters of the search, but not `q`: it may be personal data */
      filters: {
        /** PENDING, then SUCCESSFUL or FAILED */
        status?: 'pending' | 'failed' | 'successful' | undefined
        /** Only pending transactions in this stage */
        stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
        /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
        type?: string | undefined
        /** momo, card, bank-transfer, bank or conversion */
        method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
        /** Three-letter ISO 4217 code */
        currency?: Schemas['Currency'] | undefined
        /** Two-letter code */
        country?: string | undefined
        /** At least this much, in major units of the transaction’s currency */
        minAmount?: number | undefined
        /** At most this much */
        maxAmount?: number | undefined
        /** YYYY-MM-DD, in UTC */
        startDate?: string | undefined
        /** The last day, inclusive */
        endDate?: string | undefined
      }
      /** Others of the merchant read it too */
      isShared: boolean
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Its id */
        id: string
      }
    }
  }
  /** Replace a saved view */
  putSavedViewsViewId: {
    path: {
      viewId: string
    }
    body: {
      /** Name */
      name: string
      /** Filters of the search, but not `q`: it may be personal data */
      filters: {
        /** PENDING, then SUCCESSFUL or FAILED */
        status?: 'pending' | 'failed' | 'successful' | undefined
        /** Only pending transactions in this stage */
        stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
        /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
        type?: string | undefined
        /** momo, card, bank-transfer, bank or conversion */
        method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
        /** Three-letter ISO 4217 code */
        currency?: Schemas['Currency'] | undefined
        /** Two-letter code */
        country?: string | undefined
        /** At least this much, in major units of the transaction’s currency */
        minAmount?: number | undefined
        /** At most this much */
        maxAmount?: number | undefined
        /** YYYY-MM-DD, in UTC */
        startDate?: string | undefined
        /** The last day, inclusive */
        endDate?: string | undefined
      }
      /** Others of the merchant read it too */
      isShared: boolean
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Delete a saved view */
  deleteSavedViewsViewId: {
    path: {
      viewId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Summarise today */
  getSummary: {
    query: {
      /** Three-letter ISO 4217 code */
      currency: string
      /** A time zone such as Africa/Nairobi; UTC if omitted */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Summary']
    }
  }
  /** Search transactions */
  getSearchTransactions: {
    query?: {
      /** A transaction id, your reference, a phone number in any form, an account number, the provider's receipt, or the first words of a name. Exact, but names are compared without case and accents. */
      q?: string | undefined
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** Only pending transactions in this stage */
      stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
      /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
      type?: string | undefined
      /** momo, card, bank-transfer, bank or conversion */
      method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      /** Two-letter code */
      country?: string | undefined
      /** At least this much, in major units of the transaction’s currency */
      minAmount?: number | undefined
      /** At most this much */
      maxAmount?: number | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** 20 if omitted */
      limit?: number | undefined
      /** The `nextCursor` of the page before */
      cursor?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FoundTransaction'][]
      /** The `cursor` of the next page; empty at the end */
      nextCursor: string
    }
  }
  /** Search transactions by a text */
  postSearchTransactions: {
    body: {
      /** A transaction id, your reference, a phone number in any form, an account number, the provider's receipt, or the first words of a name. Exact, but names are compared without case and accents. */
      q?: string | undefined
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** Only pending transactions in this stage */
      stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
      /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
      type?: string | undefined
      /** momo, card, bank-transfer, bank or conversion */
      method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
      /** Three-letter ISO 4217 code */
      currency?: Schemas['Currency'] | undefined
      /** Two-letter code */
      country?: string | undefined
      /** At least this much, in major units of the transaction’s currency */
      minAmount?: number | undefined
      /** At most this much */
      maxAmount?: number | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** 20 if omitted */
      limit?: number | undefined
      /** The `nextCursor` of the page before */
      cursor?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FoundTransaction'][]
      /** The `cursor` of the next page; empty at the end */
      nextCursor: string
    }
  }
  /** Export transactions */
  getExportsTransactions: {
    query?: {
      /** A transaction id, your reference, a phone number in any form, an account number, the provider's receipt, or the first words of a name. Exact, but names are compared without case and accents. */
      q?: string | undefined
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** Only pending transactions in this stage */
      stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
      /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
      type?: string | undefined
      /** momo, card, bank-transfer, bank or conversion */
      method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      /** Two-letter code */
      country?: string | undefined
      /** At least this much, in major units of the transaction’s currency */
      minAmount?: number | undefined
      /** At most this much */
      maxAmount?: number | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** csv or ndjson; csv if omitted */
      format?: 'csv' | 'ndjson' | undefined
      /** 1: CSV starts with a byte order mark, by which spreadsheets recognise UTF-8 */
      bom?: '0' | '1' | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: unknown
  }
  /** Export transactions found by a text */
  postExportsTransactions: {
    body: {
      /** A transaction id, your reference, a phone number in any form, an account number, the provider's receipt, or the first words of a name. Exact, but names are compared without case and accents. */
      q?: string | undefined
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** Only pending transactions in this stage */
      stage?: 'AWAITING_APPROVAL' | 'PROCESSING' | 'AWAITING_CUSTOMER' | 'UNCONFIRMED' | undefined
      /** deposit, withdrew (also withdrawal and payout), refund, conversion or adjustment */
      type?: string | undefined
      /** momo, card, bank-transfer, bank or conversion */
      method?: 'momo' | 'card' | 'bank-transfer' | 'bank' | 'conversion' | undefined
      /** Three-letter ISO 4217 code */
      currency?: Schemas['Currency'] | undefined
      /** Two-letter code */
      country?: string | undefined
      /** At least this much, in major units of the transaction’s currency */
      minAmount?: number | undefined
      /** At most this much */
      maxAmount?: number | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** csv or ndjson; csv if omitted */
      format?: 'csv' | 'ndjson' | undefined
      /** 1: CSV starts with a byte order mark, by which spreadsheets recognise UTF-8 */
      bom?: '0' | '1' | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: unknown
  }
  /** Export a wallet's statement */
  getExportsStatement: {
    query: {
      /** Three-letter code of the wallet */
      currency: string
      /** The wallet's country; required only if the currency has several */
      country?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** csv or ndjson; csv if omitted */
      format?: 'csv' | 'ndjson' | undefined
      /** 1: CSV starts with a byte order mark, by which spreadsheets recognise UTF-8 */
      bom?: '0' | '1' | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: unknown
  }
  /** Pay out */
  postFiatPayout: {
    body: Schemas['Payout']
    answer: Schemas['AcceptedPayout']
  }
  /** Pay out in bulk */
  postFiatPayoutsBulk: {
    body: {
      /** Each as the body of a single payout */
      payouts: Schemas['Payout'][]
    }
    answer: Schemas['BulkResults']
  }
  /** Quote a payout or a conversion */
  postQuotes: {
    body: Schemas['QuoteRequest']
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Quote']
    }
  }
  /** Validate a payout */
  postFiatPayoutValidate: {
    body: Schemas['Payout']
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ValidatedPayout']
    }
  }
  /** Validate payouts in bulk */
  postFiatPayoutsBulkValidate: {
    body: {
      /** Each as the body of a single payout */
      payouts: Schemas['Payout'][]
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ValidatedBulk']
    }
  }
  /** Cancel a payout */
  postFiatPayoutTransactionIdCancel: {
    path: {
      /** Malipo’s id of the payment, `txn_…` */
      transactionId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** For people; decide by `success` and `errorCode` */
      message: string
    }
  }
  /** Refund a charge */
  postTransactionsTransactionIdRefunds: {
    path: {
      /** Malipo’s id of the payment, `txn_…` */
      transactionId: string
    }
    body: {
      /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
      externalReference: string
      /** In the charge's currency, major units; all that is left if omitted */
      amount?: number | undefined
      /** Your words for it; shown when the refund is read */
      reason?: string | undefined
    }
    answer: Schemas['AcceptedRefund']
  }
  /** List refunds */
  getRefunds: {
    query?: {
      /** Id or external reference of a charge */
      refundOf?: string | undefined
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** 20 if omitted */
      limit?: number | undefined
      /** `nextCursor` of the page before */
      cursor?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Refund'][]
      /** `cursor` of the next page; missing on the last */
      nextCursor?: string | undefined
    }
  }
  /** Convert between wallets */
  postConversions: {
    body: Schemas['Conversion']
    answer: Schemas['Converted']
  }
  /** List webhook records */
  getWebhooks: {
    query?: {
      /** PENDING, then SUCCESSFUL or FAILED */
      status?: 'CREATED' | 'FAILED' | 'SUCCESS' | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** 50 if omitted */
      limit?: number | undefined
      /** A transaction id or external reference */
      reference?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WebhookRecord'][]
    }
  }
  /** Read a webhook record */
  getWebhookId: {
    path: {
      /** Its id */
      id: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WebhookRecord']
    }
  }
  /** Read the feed of events */
  getEvents: {
    query?: {
      /** Only events with a higher `number` */
      after?: number | undefined
      /** 50 if omitted */
      limit?: number | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['FeedLine'][]
    }
  }
  /** Send a webhook again */
  postWebhooksIdResend: {
    path: {
      /** Its id */
      id: string
    }
    answer: Schemas['Resent']
  }
  /** List webhook endpoints */
  getWebhookEndpoints: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WebhookEndpoint'][]
    }
  }
  /** Add a webhook endpoint */
  postWebhookEndpoints: {
    body: {
      /** https; in the sandbox also http */
      url: string
      /** For yourself */
      description?: string | undefined
      /** The events it gets: transaction_created, transaction_updated, adjustment_created. Empty or omitted: all */
      events?: string[] | undefined
      /** false: it gets no events. Default: true */
      isEnabled?: boolean | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WebhookEndpoint']
    }
  }
  /** Read a webhook endpoint */
  getWebhookEndpointsId: {
    path: {
      /** `default`, or an id from the list */
      id: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WebhookEndpoint']
    }
  }
  /** Change a webhook endpoint */
  putWebhookEndpointsId: {
    path: {
      /** `default`, or an id from the list */
      id: string
    }
    body: {
      /** https; in the sandbox also http */
      url?: string | undefined
      /** For yourself */
      description?: string | undefined
      /** The events it gets: transaction_created, transaction_updated, adjustment_created. Empty or omitted: all */
      events?: string[] | undefined
      /** false: it gets no events. Default: true */
      isEnabled?: boolean | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WebhookEndpoint']
    }
  }
  /** Delete a webhook endpoint */
  deleteWebhookEndpointsId: {
    path: {
      /** `default`, or an id from the list */
      id: string
    }
    answer: Schemas['WebhookEndpointDeleted']
  }
  /** Get a new signing secret of one endpoint */
  postWebhookEndpointsIdRotateSecret: {
    path: {
      /** `default`, or an id from the list */
      id: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** `whsec_…`; shown this once */
        secret: string
      }
    }
  }
  /** List your requests and their responses */
  getRequestLog: {
    query?: {
      /** A status such as 422, or a class such as 4xx */
      status?: string | undefined
      /** A route as the entries show it */
      path?: string | undefined
      /** Only the request with this id */
      requestId?: string | undefined
      /** Only requests that name this transaction, in their path or response */
      transactionId?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** 50 if omitted */
      limit?: number | undefined
      /** `nextCursor` of the previous page */
      cursor?: string | undefined
      /** The time zone of startDate and endDate instead of UTC, such as Africa/Nairobi */
      zone?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['LoggedRequest'][]
      /** Absent on the last page */
      nextCursor?: string | undefined
    }
  }
  /** Create an external account */
  postExternalAccounts: {
    body: {
      /** Two-letter country code */
      country: string
      /** Three-letter currency code */
      currency: Schemas['Currency']
      /** Its kind */
      type?: 'payout' | 'deposit' | undefined
      /** Either a person with a phone number, or a destination and its payout method */
      payload?: {
        /** First name */
        firstName?: string | undefined
        /** Last name */
        lastName?: string | undefined
        /** In international form, such as +254703456789 */
        phoneNumber?: string | undefined
        /** The kind of account: mobile money, bank, paybill or till */
        destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
        /** The account of the destination */
        payoutMethod?: {
          /** Name of the account holder */
          accountName?: string | undefined
          /** A phone number in international form, an account number, a customer of a business, or a till */
          accountNumber?: string | undefined
          /** Operator id or bank code */
          code?: string | undefined
          /** For banks in Uganda and Tanzania */
          branchCode?: string | undefined
          /** For Paybill */
          businessNumber?: string | undefined
        } | undefined
      } | undefined
      /** The kind of account: mobile money, bank, paybill or till */
      destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
      /** With `destination`, instead of `payload` */
      payoutMethod?: {
        /** Name of the account holder */
        accountName?: string | undefined
        /** A phone number in international form, an account number, a customer of a business, or a till */
        accountNumber?: string | undefined
        /** Operator id or bank code */
        code?: string | undefined
        /** For banks in Uganda and Tanzania */
        branchCode?: string | undefined
        /** For Paybill */
        businessNumber?: string | undefined
      } | undefined
    }
    answer: Schemas['Created']
  }
  /** List external accounts */
  getExternalAccounts: {
    query?: {
      /** 50 if omitted */
      limit?: number | undefined
      /** From the `Link` header of the previous page */
      cursor?: string | undefined
      /** Two-letter ISO 3166-1 code */
      country?: string | undefined
      /** Three-letter ISO 4217 code */
      currency?: string | undefined
      /** The kind of account: mobile money, bank, paybill or till */
      destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
      /** Its kind */
      type?: 'payout' | 'deposit' | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ExternalAccount'][]
    }
  }
  /** Replace an external account */
  putExternalAccountsExternalAccountId: {
    path: {
      /** Id of the external account, `ea_…` */
      externalAccountId: string
    }
    body: {
      /** Two-letter country code */
      country: string
      /** Three-letter currency code */
      currency: Schemas['Currency']
      /** The kind of account: mobile money, bank, paybill or till */
      destination: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till'
      /** The account of the destination */
      payoutMethod: {
        /** Name of the account holder */
        accountName?: string | undefined
        /** A phone number in international form, an account number, a customer of a business, or a till */
        accountNumber?: string | undefined
        /** Operator id or bank code */
        code?: string | undefined
        /** For banks in Uganda and Tanzania */
        branchCode?: string | undefined
        /** For Paybill */
        businessNumber?: string | undefined
      }
    }
    answer: Schemas['Done']
  }
  /** Delete an external account */
  deleteExternalAccountsExternalAccountId: {
    path: {
      /** Id of the external account, `ea_…` */
      externalAccountId: string
    }
    answer: Schemas['Done']
  }
  /** Read an external account */
  getExternalAccountsExternalAccountId: {
    path: {
      /** Id of the external account, `ea_…` */
      externalAccountId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ExternalAccount']
    }
  }
  /** List countries */
  getUtilitiesCountries: {
    answer: Schemas['Countries']
  }
  /** List banks */
  getUtilitiesBanks: {
    query?: {
      /** Two-letter country code */
      country?: string | undefined
      /** Three-letter currency code */
      currency?: string | undefined
    }
    answer: Schemas['Banks']
  }
  /** List a bank's branches */
  getUtilitiesBranches: {
    query?: {
      /** `id` of a bank */
      bankId?: number | undefined
    }
    answer: Schemas['Branches']
  }
  /** List mobile money operators */
  getUtilitiesMomoOperators: {
    query?: {
      /** Two-letter country code */
      country?: string | undefined
      /** Three-letter currency code */
      currency?: string | undefined
    }
    answer: Schemas['MomoOperators']
  }
  /** Read the exchange rates of the last 30 days */
  getUtilitiesRatesHistorical: {
    query?: {
      /** Three-letter currency code */
      from?: string | undefined
      /** Three-letter currency code */
      to?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
    }
    answer: Schemas['HistoricalRates']
  }
  /** Read the current exchange rate */
  getUtilitiesRates: {
    query: {
      /** Three-letter currency code */
      from: string
      /** Three-letter currency code */
      to: string
      /** In `from`; 1 if omitted */
      amount?: number | undefined
    }
    answer: Schemas['LiveRate']
  }
  /** Look up an account holder's name */
  postUtilitiesAccountResolve: {
    body: {
      /** `momo` or `bank` */
      method: 'momo' | 'bank'
      /** A phone number, or a bank account number */
      accountNumber: string
      /** Three-letter currency code */
      currency: Schemas['Currency']
      /** Operator id; required if the number does not identify it */
      momoOperator?: string | undefined
      /** For method bank */
      bankCode?: string | undefined
      /** Code of the bank branch */
      branchCode?: string | undefined
    }
    answer: Schemas['ResolvedAccount']
  }
  /** List payouts that wait for approval */
  getApprovals: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['WaitingPayout'][]
    }
  }
  /** List payouts that people decided lately */
  getApprovalsDecided: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['DecidedPayout'][]
    }
  }
  /** Approve a payout */
  postApprovalsTransactionIdApprove: {
    path: {
      /** Malipo’s id of the payment, `txn_…` */
      transactionId: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Reject a payout */
  postApprovalsTransactionIdReject: {
    path: {
      /** Malipo’s id of the payment, `txn_…` */
      transactionId: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Show the webhook URL */
  getWebhookUrl: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Empty when not set */
        url: string
      }
    }
  }
  /** Set the webhook URL */
  putWebhookUrl: {
    body: {
      /** Empty when not set */
      url: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Empty when not set */
        url: string
      }
    }
  }
  /** List key pairs */
  getKeys: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['KeyPair'][]
    }
  }
  /** Create a key pair */
  postKeys: {
    body: {
      /** Only scopes whose permission you hold yourself in this environment */
      scopes: ('charges:write' | 'payouts:write' | 'refunds:write' | 'external-accounts:write' | 'transactions:read' | 'webhooks:read' | 'webhooks:write' | 'reference:read' | 'profile:read' | 'profile:write')[]
      /** Ranges such as 203.0.113.0/24; none means any address */
      addresses?: string[] | undefined
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
    }
  }
  /** Show payout controls */
  getPayoutControls: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['PayoutControls']
    }
  }
  /** Set payout limits of a currency */
  putPayoutControlsLimits: {
    body: {
      /** Of the wallet that pays, or of what is paid */
      currency: Schemas['Currency']
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
  /** Set which payouts need approval */
  putPayoutControlsApprovals: {
    body: {
      /** Decimal text in major units, or `none` */
      above?: string | undefined
      /** Of `above` */
      currency?: Schemas['Currency'] | undefined
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
  /** List people and invitations */
  getPeople: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['Team']
    }
  }
  /** Invite a person */
  postPeopleInvitations: {
    body: {
      /** E-mail address */
      email: string
      /** Name */
      name: string
      role: 'viewer' | 'support' | 'developer' | 'finance' | 'approver' | 'owner'
      /** Limits the role to these; all if omitted */
      countries?: string[] | undefined
      /** Limits the role to these; all if omitted */
      currencies?: string[] | undefined
      /** The person signs in at the operator's OIDC provider */
      isForOidc?: boolean | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['NewInvitation']
    }
  }
  /** Make the code of an invitation */
  postPeopleInvitationsInvitationIdCode: {
    path: {
      invitationId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: {
        /** Code */
        code: string
      }
    }
  }
  /** Withdraw an invitation */
  postPeopleInvitationsInvitationIdRevoke: {
    path: {
      invitationId: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** End a role */
  postPeopleRolesRoleIdEnd: {
    path: {
      roleId: string
    }
    body: {
      /** Why; kept in the audit trail */
      reason: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
    }
  }
  /** Read the audit trail */
  getAudit: {
    query?: {
      /** 50 if omitted */
      limit?: number | undefined
      /** The last entry of the page before */
      after?: string | undefined
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['AuditEntry'][]
    }
  }
  /** Set a scenario for a future payment */
  putUtilitiesScenariosExternalReference: {
    path: {
      /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
      externalReference: string
    }
    body: {
      /** The scenario to run */
      scenario: 'lost-answer' | 'late-callback' | 'duplicate-webhook' | 'out-of-order-webhook' | 'expiry' | 'late-success' | 'late-receipt' | 'payout-returned' | 'charge-reversed' | 'chargeback-won'
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** For people; decide by `success` and `errorCode` */
      message: string
    }
  }
  /** Remove a scenario */
  deleteUtilitiesScenariosExternalReference: {
    path: {
      /** Your own id for this payment: 1 to 100 printable ASCII characters without spaces; never used before */
      externalReference: string
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** For people; decide by `success` and `errorCode` */
      message: string
    }
  }
  /** List scenarios of future payments */
  getUtilitiesScenarios: {
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['ArmedScenario'][]
    }
  }
  /** Advance time */
  postUtilitiesClockAdvance: {
    body: {
      /** From 1 to 2,592,000, 30 days */
      seconds: number
    }
    answer: {
      /** true when the request succeeded, false when it was refused */
      success: true
      /** The requested data */
      data: Schemas['AdvancedClock']
    }
  }
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
  getUsers: { method: 'GET', path: '/users' },
  postUsersWebhookSecretRotate: { method: 'POST', path: '/users/webhook-secret/rotate' },
  getWalletsStatement: { method: 'GET', path: '/wallets/statement' },
  getTransactions: { method: 'GET', path: '/transactions' },
  getTransactionsTransactionId: { method: 'GET', path: '/transactions/{transactionId}' },
  getTransactionsTransactionIdEntries: { method: 'GET', path: '/transactions/{transactionId}/entries' },
  getStream: { method: 'GET', path: '/stream' },
  getMoneyFlow: { method: 'GET', path: '/money-flow' },
  getSavedViews: { method: 'GET', path: '/saved-views' },
  postSavedViews: { method: 'POST', path: '/saved-views' },
  putSavedViewsViewId: { method: 'PUT', path: '/saved-views/{viewId}' },
  deleteSavedViewsViewId: { method: 'DELETE', path: '/saved-views/{viewId}' },
  getSummary: { method: 'GET', path: '/summary' },
  getSearchTransactions: { method: 'GET', path: '/search/transactions' },
  postSearchTransactions: { method: 'POST', path: '/search/transactions' },
  getExportsTransactions: { method: 'GET', path: '/exports/transactions' },
  postExportsTransactions: { method: 'POST', path: '/exports/transactions' },
  getExportsStatement: { method: 'GET', path: '/exports/statement' },
  postFiatPayout: { method: 'POST', path: '/fiat/payout', isKeyed: true },
  postFiatPayoutsBulk: { method: 'POST', path: '/fiat/payouts/bulk', isKeyed: true },
  postQuotes: { method: 'POST', path: '/quotes' },
  postFiatPayoutValidate: { method: 'POST', path: '/fiat/payout/validate' },
  postFiatPayoutsBulkValidate: { method: 'POST', path: '/fiat/payouts/bulk/validate' },
  postFiatPayoutTransactionIdCancel: { method: 'POST', path: '/fiat/payout/{transactionId}/cancel', isKeyed: true },
  postTransactionsTransactionIdRefunds: { method: 'POST', path: '/transactions/{transactionId}/refunds', isKeyed: true },
  getRefunds: { method: 'GET', path: '/refunds' },
  postConversions: { method: 'POST', path: '/conversions', isKeyed: true },
  getWebhooks: { method: 'GET', path: '/webhooks' },
  getWebhookId: { method: 'GET', path: '/webhook/{id}' },
  getEvents: { method: 'GET', path: '/events' },
  postWebhooksIdResend: { method: 'POST', path: '/webhooks/{id}/resend' },
  getWebhookEndpoints: { method: 'GET', path: '/webhook-endpoints' },
  postWebhookEndpoints: { method: 'POST', path: '/webhook-endpoints' },
  getWebhookEndpointsId: { method: 'GET', path: '/webhook-endpoints/{id}' },
  putWebhookEndpointsId: { method: 'PUT', path: '/webhook-endpoints/{id}' },
  deleteWebhookEndpointsId: { method: 'DELETE', path: '/webhook-endpoints/{id}' },
  postWebhookEndpointsIdRotateSecret: { method: 'POST', path: '/webhook-endpoints/{id}/rotate-secret' },
  getRequestLog: { method: 'GET', path: '/request-log' },
  postExternalAccounts: { method: 'POST', path: '/external-accounts', isKeyed: true },
  getExternalAccounts: { method: 'GET', path: '/external-accounts' },
  putExternalAccountsExternalAccountId: { method: 'PUT', path: '/external-accounts/{externalAccountId}', isKeyed: true },
  deleteExternalAccountsExternalAccountId: { method: 'DELETE', path: '/external-accounts/{externalAccountId}', isKeyed: true },
  getExternalAccountsExternalAccountId: { method: 'GET', path: '/external-accounts/{externalAccountId}' },
  getUtilitiesCountries: { method: 'GET', path: '/utilities/countries' },
  getUtilitiesBanks: { method: 'GET', path: '/utilities/banks' },
  getUtilitiesBranches: { method: 'GET', path: '/utilities/branches' },
  getUtilitiesMomoOperators: { method: 'GET', path: '/utilities/momo-operators' },
  getUtilitiesRatesHistorical: { method: 'GET', path: '/utilities/rates/historical' },
  getUtilitiesRates: { method: 'GET', path: '/utilities/rates' },
  postUtilitiesAccountResolve: { method: 'POST', path: '/utilities/account/resolve' },
  getApprovals: { method: 'GET', path: '/approvals' },
  getApprovalsDecided: { method: 'GET', path: '/approvals/decided' },
  postApprovalsTransactionIdApprove: { method: 'POST', path: '/approvals/{transactionId}/approve' },
  postApprovalsTransactionIdReject: { method: 'POST', path: '/approvals/{transactionId}/reject' },
  getWebhookUrl: { method: 'GET', path: '/webhook-url' },
  putWebhookUrl: { method: 'PUT', path: '/webhook-url' },
  getKeys: { method: 'GET', path: '/keys' },
  postKeys: { method: 'POST', path: '/keys' },
  postKeysPublicKeyRotate: { method: 'POST', path: '/keys/{publicKey}/rotate' },
  postKeysPublicKeyRevoke: { method: 'POST', path: '/keys/{publicKey}/revoke' },
  getPayoutControls: { method: 'GET', path: '/payout-controls' },
  putPayoutControlsLimits: { method: 'PUT', path: '/payout-controls/limits' },
  putPayoutControlsApprovals: { method: 'PUT', path: '/payout-controls/approvals' },
  getPeople: { method: 'GET', path: '/people' },
  postPeopleInvitations: { method: 'POST', path: '/people/invitations' },
  postPeopleInvitationsInvitationIdCode: { method: 'POST', path: '/people/invitations/{invitationId}/code' },
  postPeopleInvitationsInvitationIdRevoke: { method: 'POST', path: '/people/invitations/{invitationId}/revoke' },
  postPeopleRolesRoleIdEnd: { method: 'POST', path: '/people/roles/{roleId}/end' },
  getAudit: { method: 'GET', path: '/audit' },
  putUtilitiesScenariosExternalReference: { method: 'PUT', path: '/utilities/scenarios/{externalReference}' },
  deleteUtilitiesScenariosExternalReference: { method: 'DELETE', path: '/utilities/scenarios/{externalReference}' },
  getUtilitiesScenarios: { method: 'GET', path: '/utilities/scenarios' },
  postUtilitiesClockAdvance: { method: 'POST', path: '/utilities/clock/advance' },
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
