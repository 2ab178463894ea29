// Made by npm run generate from docs/reference/openapi.json. Change the routes instead.

export const version = '0.1.0'

/** Every code a refusal can have; a newer server may know more. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'OTP_CODE_REQUIRED'
  | 'DEBIT_COUNTRY_REQUIRED'
  | 'MOMO_OPERATOR_ID_REQUIRED'
  | 'MOMO_CODE_REQUIRED'
  | 'UNAUTHORIZED'
  | 'INVALID_API_KEY'
  | 'INSUFFICIENT_SCOPE'
  | 'IP_NOT_ALLOWED'
  | 'SANDBOX_ONLY'
  | 'LIVE_ONLY'
  | 'E-B2B-S-118'
  | 'E-BEN.S-90'
  | 'E-CH-PY.S-37'
  | 'E-API-UT.S-39'
  | 'TRANSACTION_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'SCENARIO_NOT_FOUND'
  | 'PAYOUT_PROVIDER_NOT_FOUND'
  | 'PROVIDER_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'E-API-D.S-28'
  | 'CHARGE_NOT_AWAITING_AUTHORISATION'
  | 'PAYOUT_NOT_CANCELLABLE'
  | 'E-BEN.S-35'
  | 'IDEMPOTENCY_KEY_IN_PROGRESS'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNSUPPORTED_CURRENCY'
  | 'SCENARIO_LIMIT_REACHED'
  | 'INSUFFICIENT_FUNDS'
  | 'CURRENCY_NOT_ENABLED'
  | 'WALLET_CURRENCY_NOT_SUPPORTED'
  | 'DEBIT_CURRENCY_NOT_SUPPORTED'
  | 'AMOUNT_OUT_OF_BOUNDS'
  | 'AUTHORISATION_TYPE_MISMATCH'
  | 'AUTHORISATION_FAILED'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'INTERNAL_SERVER_ERROR'
  | 'FX_RATE_UNAVAILABLE'
  | 'PROVIDER_TEMPORARILY_UNAVAILABLE'
  | 'OVERLOADED'

export interface Schemas {
  /** Every error has this form. */
  Failure: {
    success: false
    message: string
    errorCode: string
    /** Also in the header X-Request-Id; include it when you contact the operator */
    requestId: string
    details?: {
      field: string
      message: string
    }[] | undefined
    /** The same request may succeed later */
    retryable?: boolean | undefined
  }
  IssuedToken: {
    success: true
    /** Send it as `Authorization: Bearer …` */
    token: string
    /** Unix seconds; request a new token about 60 s earlier */
    expiresAt: number
  }
  Debt: {
    currency: string
    country: string
    amount: number
  }
  UserProfile: {
    success: true
    firstName: string
    lastName: string
    email: string
    /** The public key of the pair that the token was issued for */
    publicKey: string
    /** Where live events go; empty when not set */
    webhookUrl: string
    /** Where sandbox events go; empty when not set */
    sandboxWebhookUrl: string
    wallets: {
      currency: string
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
    success: true
    data: {
      /** `whsec_…`; shown this once */
      secret: string
    }
  }
  Statement: {
    success: true
    data: {
      opening: number
      lines: {
        /** ISO 8601 date-time */
        at: string
        /** Empty in a line of type `archived` */
        transactionId: string
        /** Empty if none of your requests caused it */
        externalReference: string
        /** Of the payment or posting; `archived` sums up lines of a month that the operator has archived */
        type: string
        /** payment, fee, exchange, adjustment, funding or archived */
        kind: string
        /** Negative for debits */
        amount: number
        /** The balance after it */
        balance: number
      }[]
      closing: number
    }
  }
  Transaction: {
    transactionId: string
    /** deposit, withdrew or adjustment */
    type: string
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: string
    /** The same in lower case */
    chargeStatus: string
    amount: number
    senderAmount: number
    receiverAmount: number
    currency: string
    senderCurrency: string
    receiverCurrency: string
    country: string
    destination: string
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    year: string
    month: string
    day: string
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      accountName: string
      destination: string
      currency: string
      accountNumber: string
    }
  }
  NextAction: {
    /** NONE, PIN_PROMPT, OTP, PIN, ADDRESS, REDIRECT or BANK_TRANSFER */
    type: string
    instructions?: string[] | undefined
    /** Where to send the customer */
    redirectUrl?: string | undefined
    ussdCode?: string | undefined
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
    permanent: boolean
    accountNumber: string
    bankName: string
    createdAt: string
    /** The account accepts money until then */
    expiresAt: string
    note: string
    /** The amount to transfer */
    amount: string
    /** An image with the name of the bank */
    bankLogo: string
  }
  OneTransaction: {
    transactionId: string
    /** deposit, withdrew or adjustment */
    type: string
    /** PENDING, then SUCCESSFUL or FAILED, which is final */
    status: string
    /** The same in lower case */
    chargeStatus: string
    amount: number
    senderAmount: number
    receiverAmount: number
    currency: string
    senderCurrency: string
    receiverCurrency: string
    country: string
    destination: string
    /** ISO 8601 with +00:00 */
    fullTimestamp: string
    year: string
    month: string
    day: string
    beneficiary: {
      /** The country's name */
      country: string
      /** The bank or operator */
      bankCode: string
      accountName: string
      destination: string
      currency: string
      accountNumber: string
    }
    externalReference: string
    /** momo, card, bank-transfer or bank */
    method: string
    /** In the wallet's currency */
    fee: number
    /** AWAITING_CUSTOMER, PROCESSING, UNCONFIRMED (being queried), COMPLETED, FAILED or EXPIRED */
    stage: string
    nextAction: Schemas['NextAction']
    explanation: Schemas['Explanation']
    failureReason?: {
      failureCode: string
      failureMessage: string
      providerCode?: string | undefined
    } | undefined
    rate?: {
      pair: string
      side: string
      value: string
      at: string
    } | undefined
    /** Received so far, for a bank transfer charge */
    amountReceived?: number | undefined
    virtualAccount?: Schemas['VirtualAccount'] | undefined
    /** Of an adjustment: the payment whose money moved after its end */
    relatedTransactionId?: string | undefined
    /** Your id of that payment */
    relatedExternalReference?: string | undefined
    /** Of an adjustment: credit or debit */
    direction?: string | undefined
    /** Of an adjustment: late_success, late_receipt, payout_returned, charge_reversed, chargeback_won, suspense_cleared or operator */
    reason?: string | undefined
    /** The adjustments made after its end, oldest first; each is a transaction of its own */
    adjustments?: string[] | undefined
    timeline: {
      at: string
      stage: string
      message: string
    }[]
  }
  MomoCharge: {
    /** What the customer pays, in major units */
    amount: number
    /** Three-letter currency code */
    currency: string
    /** Your own id for this payment, of 1 to 100 printable characters; never reused */
    externalReference: string
    /** In international form; or externalAccountId */
    phoneNumber?: string | undefined
    /** A mobile money account; or phoneNumber */
    externalAccountId?: string | undefined
    /** Required if the number does not identify the operator */
    momoOperatorId?: string | undefined
    /** For operators with authType PREAUTH */
    otpCode?: string | undefined
    /** Wallet to credit; `currency` if omitted */
    walletCurrency?: string | undefined
    /** For vouchers: 12 or 16 digits */
    voucherPin?: string | undefined
    /** Where the customer returns to after paying */
    successRedirectUrl?: string | undefined
    /** Where the customer returns to without paying */
    failureRedirectUrl?: string | undefined
  }
  StartedCharge: {
    success: true
    message: string
    transactionId: string
    status: string
    nextAction: Schemas['NextAction']
  }
  BillingAddress: {
    street1: string
    city: string
    state: string
    zip: string
    /** Two letters */
    country: string
  }
  CardCharge: {
    /** What the customer pays, in major units */
    amount: number
    /** Three-letter currency code */
    currency: string
    /** The customer's e-mail address */
    email: string
    /** The customer's first name */
    firstName: string
    /** The customer's last name */
    lastName: string
    /** The customer's IP address */
    ipAddress: string
    /** Your own id for this payment, of 1 to 100 printable characters; never reused */
    externalReference: string
    /** Never stored in clear, never logged */
    cardDetails: {
      number: string
      cvv: string
      /** Such as 09 */
      expMonth: string
      /** Such as 2030 */
      expYear: string
    }
    address?: Schemas['BillingAddress'] | undefined
    /** The customer's browser; needed for USD, EUR and GBP */
    device3DSInfo?: {
      colorDepth: number
      screenHeight: number
      screenWidth: number
      userAgent: string
      /** Minutes */
      timeZone: number
      deviceId: string
    } | undefined
    /** Where the bank's page returns the customer to */
    successRedirectUrl?: string | undefined
  }
  StartedCardCharge: {
    success: true
    message: string
    data: {
      transactionId: string
      status: string
      nextAction: Schemas['NextAction']
      failureReason?: {
        failureCode: string
        failureMessage: string
        providerCode?: string | undefined
      } | undefined
    }
  }
  TransferCharge: {
    /** What the customer pays, in major units */
    amount: number
    /** NGN or KES */
    currency: string
    /** The customer's e-mail address */
    email: string
    /** Your own id for this payment, of 1 to 100 printable characters; never reused */
    externalReference: string
  }
  OpenedAccount: {
    success: true
    message: string
    data: {
      transactionId: string
      virtualAccount: Schemas['VirtualAccount']
      nextAction: {
        type: 'BANK_TRANSFER'
      }
    }
  }
  Authorise: {
    /** As in `nextAction`; avs is the same as address */
    type: 'otp' | 'pin' | 'address' | 'avs'
    /** The PIN or code; or the address as an object or as JSON text */
    value: string | Schemas['BillingAddress']
  }
  Payout: {
    /** The exact amount the beneficiary receives, in major units */
    amount: number
    /** Your own id for this payment, of 1 to 100 printable characters; never reused */
    externalReference: string
    /** Instead of the next four */
    externalAccountId?: string | undefined
    currency?: string | undefined
    /** Two-letter country code */
    country?: string | undefined
    destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
    payoutMethod?: {
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
    debitCurrency?: string | undefined
    /** Country scope of that wallet */
    debitCountry?: string | undefined
  }
  AcceptedPayout: {
    success: true
    message: string
    transactionId: string
    status: string
    externalReference: string
  }
  BulkResults: {
    success: true
    data: {
      success: boolean
      message: string
      externalReference: string
      transactionId?: string | undefined
      errorCode?: string | undefined
    }[]
  }
  WebhookData: {
    /** Our id of the payment, `txn_…` */
    transactionId: string
    /** Your id of the payment */
    externalReference: string
    /** deposit, withdrew or adjustment */
    type: string
    /** pending, successful or failed */
    status: string
    /** The same as status */
    chargeStatus: string
    /** The requested amount, in major units */
    amount: number
    /** What leaves: the customer's side of a charge, your wallet's of a payout */
    senderAmount: number
    /** What arrives: in your wallet after the fee, or with the beneficiary */
    receiverAmount: number
    senderCurrency: string
    receiverCurrency: string
    currency: string
    country: string
    /** momo, card, bank-transfer or bank */
    method: string
    /** In the wallet's currency */
    fee: number
    /** Of a bank transfer charge that has ended: the amount received */
    amountReceived?: number | undefined
    failureReason?: {
      failureCode: string
      failureMessage: string
      providerCode?: string | undefined
    } | undefined
    /** Of a failed payout: its money is back in your wallet already */
    walletReversed?: true | undefined
    /** Of an adjustment: the payment whose money moved after its end */
    relatedTransactionId?: string | undefined
    /** Your id of that payment */
    relatedExternalReference?: string | undefined
    /** Of an adjustment: credit or debit */
    direction?: string | undefined
    /** Of an adjustment: late_success, late_receipt, payout_returned, charge_reversed, chargeback_won, suspense_cleared or operator */
    reason?: string | undefined
  }
  WebhookRecord: {
    /** The same as the header `webhook-id` of every attempt */
    id: string
    createdAt: string
    /** transaction_created or transaction_updated */
    event: string
    data: Schemas['WebhookData']
    response: {
      /** HTTP status of the last response; empty if there was none */
      status: string
      /** Its first 2 KiB */
      body?: string | undefined
      durationMs?: number | undefined
      error?: string | undefined
    }
    webhookUrl: string
    /** CREATED until the first attempt has ended, then SUCCESS or FAILED */
    status: string
    attempts: number
    nextAttemptAt?: string | undefined
  }
  FeedLine: {
    /** Without a gap, for each merchant and environment */
    number: number
    /** `wh_…`, the same for every attempt: ignore one that you have already processed */
    id: string
    /** transaction_created or transaction_updated or adjustment_created */
    event: string
    data: Schemas['WebhookData']
    /** When it happened, ISO 8601 */
    timestamp: string
    /** Counts the events of one payment from 1: ignore one that is lower than the last you processed */
    sequence: number
  }
  Resent: {
    success: true
    message: string
  }
  Created: {
    success: true
    message: string
    data: {
      id: string
    }
  }
  Done: {
    success: true
    message: string
  }
  ExternalAccount: {
    externalAccountId: string
    country: string
    currency: string
    destination: string
    /** payout or deposit */
    type: string
    /** Unix timestamp in seconds */
    createdAt: number
    payoutMethod: {
      accountName: string
      accountNumber: string
      /** The bank, or the operator; the operator is derived from the number if none was named */
      code: string
      branchCode: string
      businessNumber?: string | undefined
    }
  }
  Countries: {
    success: true
    data: {
      name: string
      iso2: string
      iso3: string
      dialing_code: string
      currency: {
        code: string
        symbol: string
        /** Number of decimals */
        decimal: string
      }
    }[]
  }
  Banks: {
    success: true
    data: {
      id: number
      /** `code` of a payout method */
      code: string
      name: string
      country: string
      currency: string
      hasBranches: boolean
    }[]
  }
  Branches: {
    success: true
    data: {
      id: number
      branch_code: string
      branch_name: string
      swift_code: string | null
      bic: string | null
      bank_id: number
    }[]
  }
  MomoOperators: {
    success: true
    data: {
      id: string
      name: string
      country: string
      currency: string
      /** PROVIDER_AUTH: a prompt on the phone. PREAUTH: the customer gets a code first; send it as `otpCode`. REDIRECT: a page of the operator. VOUCHER: a voucher; send it as `voucherPin`. */
      authType: string
      /** Decimals that it accepts */
      decimals: number
      /** Per payment, in major units; empty while unknown */
      deposit: {
        min?: number | undefined
        max?: number | undefined
      }
      /** Per payment, in major units; empty while unknown */
      payout: {
        min?: number | undefined
        max?: number | undefined
      }
      /** Prefixes of its numbers after the dialling code */
      prefixes: string[]
      /** The code a customer dials to approve or to get a code; may be empty */
      ussdCode: string
      /** AVAILABLE, or UNAVAILABLE: listed, but payments are refused */
      status: string
    }[]
  }
  HistoricalRates: {
    success: true
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
    success: true
    data: {
      /** BASE/QUOTE, such as USD/KES */
      currencyPair: string
      /** QUOTE you get for one BASE */
      buy: number
      /** QUOTE you pay for one BASE */
      sell: number
      /** ISO 8601 date-time */
      updatedAt: string
      from: string
      to: string
      /** In `from` */
      amount: number
      /** Current value of the amount in `to`, rounded down */
      converted: number
    }
  }
  ResolvedAccount: {
    success: true
    data: {
      accountId: string
      accountName: string
    }
  }
  TestValues: {
    phones: {
      /** An example to copy */
      value: string
      /** The digits that select it, in every country; empty for all other numbers */
      ending: string
      /** charge, payout, charge and payout, or resolve */
      for: string
      /** SUCCESSFUL, FAILED, PENDING, or the code of the failure or refusal */
      outcome: string
      /** What it does */
      what: string
    }[]
    cards: {
      number: string
      /** Set if it matters; otherwise use any future month */
      expiry?: string | undefined
      /** nothing, pin, address or redirect */
      asks: string
      pins?: string[] | undefined
      otps?: string[] | undefined
      /** SUCCESSFUL, FAILED, PENDING, or the code of the failure or refusal */
      outcome: string
      /** What it does */
      what: string
    }[]
    accounts: {
      /** An example to copy */
      value: string
      /** The digits that select it, in every country; empty for all other numbers */
      ending: string
      /** charge, payout, charge and payout, or resolve */
      for: string
      /** SUCCESSFUL, FAILED, PENDING, or the code of the failure or refusal */
      outcome: string
      /** What it does */
      what: string
    }[]
    amounts: {
      operator: string
      country: string
      currency: string
      /** charge or payout */
      for: string
      min: number
      max: number
      /** SUCCESSFUL, FAILED, PENDING, or the code of the failure or refusal */
      outcome: string
      /** What it does */
      what: string
    }[]
    otps: {
      value: string
      /** otp or pin */
      kind: string
      /** mobile money or card */
      for: string
      /** What it does */
      what: string
    }[]
    scenarios: {
      name: string
      /** What it does */
      what: string
    }[]
  }
  ArmedScenario: {
    externalReference: string
    scenario: string
    setAt: string
  }
  AdvancedClock: {
    seconds: number
    /** Open payments that were brought forward */
    payments: number
    /** Webhooks that waited for a retry */
    webhooks: number
  }
  WebhookEvent: {
    /** `wh_…`, the same for every attempt: ignore one that you have already processed */
    id: string
    /** transaction_created or transaction_updated or adjustment_created */
    event: string
    data: Schemas['WebhookData']
    /** When it happened, ISO 8601 */
    timestamp: string
    /** Counts the events of one payment from 1: ignore one that is lower than the last you processed */
    sequence: number
  }
}

/** What each operation takes, and what it answers. */
export interface Operations {
  /** Get an access token */
  postAuthGenerateBearerToken: {
    body: {
      /** The public key of the pair, `pk_…` */
      publicKey: string
    }
    answer: Schemas['IssuedToken']
  }
  /** Read the profile */
  getUsers: {
    answer: Schemas['UserProfile']
  }
  /** Change the profile */
  putUsers: {
    body: {
      firstName?: string | undefined
      lastName?: string | undefined
      /** With a live token only; https; empty to unset */
      webhookUrl?: string | undefined
      /** With a sandbox token only; empty to unset */
      sandboxWebhookUrl?: string | undefined
    }
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
    }
    answer: Schemas['Statement']
  }
  /** List transactions */
  getTransactions: {
    query?: {
      currency?: string | undefined
      /** deposit, withdrew (also withdrawal and payout) or adjustment */
      type?: string | undefined
      externalReference?: string | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      status?: 'pending' | 'failed' | 'successful' | undefined
      /** 3 if omitted */
      limit?: number | undefined
      /** Only transactions older than this one */
      transactionId?: string | undefined
    }
    answer: {
      success: true
      data: Schemas['Transaction'][]
    }
  }
  /** Read a transaction */
  getTransactionsTransactionId: {
    path: {
      transactionId: string
    }
    answer: {
      success: true
      data: Schemas['OneTransaction']
    }
  }
  /** Charge by mobile money */
  postFiatDepositMomo: {
    body: Schemas['MomoCharge']
    answer: Schemas['StartedCharge']
  }
  /** Charge a card */
  postFiatDepositCard: {
    body: Schemas['CardCharge']
    answer: Schemas['StartedCardCharge']
  }
  /** Charge by bank transfer */
  postFiatDepositBankTransfer: {
    body: Schemas['TransferCharge']
    answer: Schemas['OpenedAccount']
  }
  /** Authorise a charge */
  postFiatDepositTransactionIdAuthorise: {
    path: {
      transactionId: string
    }
    body: Schemas['Authorise']
    answer: {
      success: true
      message: string
    }
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
      payouts: unknown[]
    }
    answer: Schemas['BulkResults']
  }
  /** Cancel a payout */
  postFiatPayoutTransactionIdCancel: {
    path: {
      transactionId: string
    }
    answer: {
      success: true
      message: string
    }
  }
  /** List webhook records */
  getWebhooks: {
    query?: {
      status?: 'CREATED' | 'FAILED' | 'SUCCESS' | undefined
      /** YYYY-MM-DD, in UTC */
      startDate?: string | undefined
      /** The last day, inclusive */
      endDate?: string | undefined
      /** 50 if omitted */
      limit?: number | undefined
      /** A transaction id or external reference */
      reference?: string | undefined
    }
    answer: {
      success: true
      data: Schemas['WebhookRecord'][]
    }
  }
  /** Read a webhook record */
  getWebhookId: {
    path: {
      id: string
    }
    answer: {
      success: true
      data: Schemas['WebhookRecord']
    }
  }
  /** Read the feed of events */
  getEvents: {
    query?: {
      after?: number | undefined
      /** 50 if omitted */
      limit?: number | undefined
    }
    answer: {
      success: true
      data: Schemas['FeedLine'][]
    }
  }
  /** Send a webhook again */
  postWebhooksIdResend: {
    path: {
      id: string
    }
    answer: Schemas['Resent']
  }
  /** Create an external account */
  postExternalAccounts: {
    body: {
      /** Two-letter country code */
      country: string
      /** Three-letter currency code */
      currency: string
      type?: 'payout' | 'deposit' | undefined
      /** Either a person with a phone number, or a destination and its payout method */
      payload?: {
        firstName?: string | undefined
        lastName?: string | undefined
        phoneNumber?: string | undefined
        destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
        payoutMethod?: {
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
      destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
      /** With `destination`, instead of `payload` */
      payoutMethod?: {
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
      country?: string | undefined
      currency?: string | undefined
      destination?: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till' | undefined
      type?: 'payout' | 'deposit' | undefined
    }
    answer: {
      success: true
      data: Schemas['ExternalAccount'][]
    }
  }
  /** Replace an external account */
  putExternalAccountsExternalAccountId: {
    path: {
      externalAccountId: string
    }
    body: {
      /** Two-letter country code */
      country: string
      /** Three-letter currency code */
      currency: string
      destination: 'MoMo' | 'Bank Account' | 'Paybill' | 'Till'
      payoutMethod: {
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
      externalAccountId: string
    }
    answer: Schemas['Done']
  }
  /** Read an external account */
  getExternalAccountsExternalAccountId: {
    path: {
      externalAccountId: string
    }
    answer: {
      success: true
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
      method: 'momo' | 'bank'
      /** A phone number, or a bank account number */
      accountNumber: string
      /** Three-letter currency code */
      currency: string
      /** Operator id; required if the number does not identify it */
      momoOperator?: string | undefined
      /** For method bank */
      bankCode?: string | undefined
      branchCode?: string | undefined
    }
    answer: Schemas['ResolvedAccount']
  }
}

/** Where each operation is, and whether it takes an Idempotency-Key. */
export const operations = {
  postAuthGenerateBearerToken: { method: 'POST', path: '/auth/generate-bearer-token' },
  getUsers: { method: 'GET', path: '/users' },
  putUsers: { method: 'PUT', path: '/users' },
  postUsersWebhookSecretRotate: { method: 'POST', path: '/users/webhook-secret/rotate' },
  getWalletsStatement: { method: 'GET', path: '/wallets/statement' },
  getTransactions: { method: 'GET', path: '/transactions' },
  getTransactionsTransactionId: { method: 'GET', path: '/transactions/{transactionId}' },
  postFiatDepositMomo: { method: 'POST', path: '/fiat/deposit/momo', isKeyed: true },
  postFiatDepositCard: { method: 'POST', path: '/fiat/deposit/card', isKeyed: true },
  postFiatDepositBankTransfer: { method: 'POST', path: '/fiat/deposit/bank-transfer', isKeyed: true },
  postFiatDepositTransactionIdAuthorise: { method: 'POST', path: '/fiat/deposit/{transactionId}/authorise', isKeyed: true },
  postFiatPayout: { method: 'POST', path: '/fiat/payout', isKeyed: true },
  postFiatPayoutsBulk: { method: 'POST', path: '/fiat/payouts/bulk', isKeyed: true },
  postFiatPayoutTransactionIdCancel: { method: 'POST', path: '/fiat/payout/{transactionId}/cancel', isKeyed: true },
  getWebhooks: { method: 'GET', path: '/webhooks' },
  getWebhookId: { method: 'GET', path: '/webhook/{id}' },
  getEvents: { method: 'GET', path: '/events' },
  postWebhooksIdResend: { method: 'POST', path: '/webhooks/{id}/resend' },
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
} as const satisfies Record<keyof Operations, { method: string; path: string; isKeyed?: true }>
