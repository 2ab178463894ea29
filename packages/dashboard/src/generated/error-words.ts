// Made by npm run generate from tables of the server; do not edit.

/** Why the API refuses, and what to do, by error code. */
export const errorWords: Readonly<Record<string, { readonly cause: string; readonly fix: string }>> = {
  "MERCHANT_FROZEN": {
    "cause": "The operator has frozen your account. Payouts wait until it is unfrozen; a conversion is final at once, so it is refused.",
    "fix": "Contact the operator."
  },
  "QUOTE_MISMATCH": {
    "cause": "Beside `quoteId` the request has fields with other values than the quote; `details` names them.",
    "fix": "Send only `quoteId` and `externalReference`, or make a new quote for the new values."
  },
  "QUOTE_USED": {
    "cause": "Another request executed this quote. A quote can be executed once.",
    "fix": "Look for that transaction before you pay again. For another payment, make a new quote."
  },
  "QUOTE_EXPIRED": {
    "cause": "A quote can be executed until its `expiresAt`. Nothing was debited, and the reference is still free.",
    "fix": "Make a new quote with `POST /quotes` and execute that."
  },
  "QUOTE_NOT_FOUND": {
    "cause": "No quote of yours in this environment has this id, it is one of another kind, or it is older than an hour.",
    "fix": "Make a new quote with `POST /quotes`, and execute it where it belongs: a payout with `POST /fiat/payout`, a conversion with `POST /conversions`."
  },
  "REFUND_WINDOW_CLOSED": {
    "cause": "Its provider refunds charges only for a limited time; `details` names it.",
    "fix": "Pay the customer with `POST /fiat/payout` and `refundOf` set to the id of the charge; it counts as a refund."
  },
  "REFUND_NOT_SUPPORTED": {
    "cause": "Not every provider can send money back the way it came. Some refund only one of several transfers that paid a charge.",
    "fix": "Pay the customer with `POST /fiat/payout` and `refundOf` set to the id of the charge; it counts as a refund."
  },
  "REFUND_EXCEEDS_CHARGE": {
    "cause": "Refunds, payouts with `refundOf` and what the provider took back never exceed what was received; `details` names what is left as `refundable`. Pending refunds count.",
    "fix": "Refund at most `refundable`, or leave `amount` out to refund all that is left."
  },
  "TRANSACTION_NOT_REFUNDABLE": {
    "cause": "The transaction is not a charge, or it is pending or failed, so the customer paid nothing that could go back.",
    "fix": "Check the id. A pending charge can be refunded once it is SUCCESSFUL."
  },
  "OVERLOADED": {
    "cause": "The service is shutting down, is overloaded, or cannot reach its database.",
    "fix": "Send the same request again after the seconds in `Retry-After`, with the same reference and `Idempotency-Key`: it takes effect once. If the reference is then in use, read that transaction."
  },
  "PROVIDER_TEMPORARILY_UNAVAILABLE": {
    "cause": "The provider is paused, unreachable, or returned an unclear response.",
    "fix": "Send the same request again in a moment. It continues the same bank transfer charge. For any other payment nothing was started."
  },
  "FX_RATE_UNAVAILABLE": {
    "cause": "The pair is not quoted, its latest rate is too old, or the rate jumped and waits for the operator.",
    "fix": "Retry in a few minutes. `GET /utilities/rates/historical` lists the quoted pairs."
  },
  "INTERNAL_SERVER_ERROR": {
    "cause": "A defect in the service. It is logged with the `requestId`.",
    "fix": "Send the same request again later, with the same reference and `Idempotency-Key`: it takes effect once. If the error persists, give the `requestId` to the operator."
  },
  "RATE_LIMIT_EXCEEDED": {
    "cause": "The merchant's request limit was exceeded, or this address sent too many wrong keys.",
    "fix": "Wait the seconds in `Retry-After`, then send the request again."
  },
  "IDEMPOTENCY_KEY_REUSED": {
    "cause": "The key was used before with another method, path or body.",
    "fix": "Use a new key for every new request. Repeat a request unchanged under its own key."
  },
  "AUTHORISATION_FAILED": {
    "cause": "The PIN, code or address is wrong. `attemptsLeft` is the number of attempts left; at 0 the charge has failed.",
    "fix": "Ask the customer again and send the new value. When `attemptsLeft` is 0, start a new charge with a new reference."
  },
  "AUTHORISATION_TYPE_MISMATCH": {
    "cause": "`type` differs from what `nextAction` of the transaction requires.",
    "fix": "Send the type that `nextAction` names: `pin`, `otp` or `address`."
  },
  "PAYOUT_LIMIT_EXCEEDED": {
    "cause": "The operator set limits for your payouts: for each payout, and for each day (UTC) in total, by key pair or by beneficiary. `details` names the limit, how much it allows, what is left and when it resets.",
    "fix": "Send at most what is left, or wait until the limit resets. The reference is still free. Ask the operator for another limit."
  },
  "AMOUNT_OUT_OF_BOUNDS": {
    "cause": "The operator or bank does not accept this amount; `details` names the limit.",
    "fix": "Send an amount within the limits, or split it into several payments, each with its own reference."
  },
  "DEBIT_CURRENCY_NOT_SUPPORTED": {
    "cause": "No exchange rate is offered for the two currencies.",
    "fix": "Leave `debitCurrency` out: the payout is then debited in its own currency."
  },
  "WALLET_CURRENCY_NOT_SUPPORTED": {
    "cause": "No exchange rate is offered for the two currencies.",
    "fix": "Leave `walletCurrency` out: the charge is then credited in its own currency."
  },
  "CURRENCY_NOT_ENABLED": {
    "cause": "The operator has disabled the currency for this merchant and environment.",
    "fix": "Use another currency, or ask the operator to enable it."
  },
  "INSUFFICIENT_FUNDS": {
    "cause": "Amount and fee together exceed the available balance; `details` has both. Nothing was debited.",
    "fix": "Fund the wallet or pay a smaller amount. The reference is still free, so the same request can be sent again."
  },
  "SCENARIO_LIMIT_REACHED": {
    "cause": "A merchant can have 1,000 scenarios that wait for their payments.",
    "fix": "Remove some with `DELETE /utilities/scenarios/{externalReference}`, or send the header `X-Sandbox-Scenario` with the payment."
  },
  "UNSUPPORTED_CURRENCY": {
    "cause": "The code is not a currency of this service, or not one of this payment method. Codes are three upper-case letters, such as KES.",
    "fix": "Use a currency from `GET /utilities/countries`. Bank transfers support NGN and KES."
  },
  "UNSUPPORTED_MEDIA_TYPE": {
    "cause": "The `Content-Type` header is missing or is not `application/json`.",
    "fix": "Send JSON with `Content-Type: application/json`."
  },
  "PAYLOAD_TOO_LARGE": {
    "cause": "The body is larger than 64 KiB, or larger than 1 MiB for `/fiat/payouts/bulk`.",
    "fix": "Split it into several requests."
  },
  "IDEMPOTENCY_KEY_IN_PROGRESS": {
    "cause": "The same request was sent a moment ago and has no response yet.",
    "fix": "Wait a moment and send it again: it returns the response of the first."
  },
  "E-BEN.S-35": {
    "cause": "Another external account of yours has the same account number, code, country and currency.",
    "fix": "Use that external account, or delete it first."
  },
  "PAYOUT_NOT_CANCELLABLE": {
    "cause": "The payout was sent to the provider, or has ended.",
    "fix": "Read the transaction for its current status."
  },
  "CHARGE_NOT_AWAITING_AUTHORISATION": {
    "cause": "The charge requires no answer, an answer is being processed, or the charge has ended.",
    "fix": "Read the transaction: `nextAction` says what the customer must do."
  },
  "E-API-D.S-28": {
    "cause": "A charge or payout of yours already has this external reference; `details` has its id. A reference can be used once.",
    "fix": "Read that transaction before you pay again. For a new payment, use a new reference."
  },
  "METHOD_NOT_ALLOWED": {
    "cause": "The path exists with other methods; the `Allow` header lists them.",
    "fix": "Use a method of the `Allow` header."
  },
  "ROUTE_NOT_FOUND": {
    "cause": "The path is mistyped, or its id is too long.",
    "fix": "Compare it with the paths at `/docs`."
  },
  "PROVIDER_NOT_FOUND": {
    "cause": "No provider in this environment supports this operator, country and currency.",
    "fix": "For mobile money, use an operator that `GET /utilities/momo-operators` shows as AVAILABLE. For cards and bank transfers, use another currency. The coverage table lists all combinations."
  },
  "PAYOUT_PROVIDER_NOT_FOUND": {
    "cause": "No provider in this environment supports this destination, country and currency.",
    "fix": "Choose a destination from `GET /utilities/momo-operators` or `GET /utilities/banks`. The coverage table lists all combinations."
  },
  "SCENARIO_NOT_FOUND": {
    "cause": "None was set, its payment used it, it was removed, or it expired after a week.",
    "fix": "List the scenarios that are set with `GET /utilities/scenarios`."
  },
  "WEBHOOK_ENDPOINT_DISABLED": {
    "cause": "You disabled the endpoint of this record, so nothing is sent to it.",
    "fix": "Enable it with `PUT /webhook-endpoints/{id}` and `\"isEnabled\": true`, then send the request again."
  },
  "WEBHOOK_ENDPOINT_LIMIT": {
    "cause": "An environment has at most 10 endpoints: the default, and 9 that you add.",
    "fix": "Delete an endpoint that you no longer need, or change one with `PUT /webhook-endpoints/{id}`."
  },
  "WEBHOOK_ENDPOINT_NOT_FOUND": {
    "cause": "The endpoint does not exist in this environment, belongs to another merchant, or was deleted.",
    "fix": "List the endpoints with `GET /webhook-endpoints`. The default exists while the profile has a URL."
  },
  "WEBHOOK_NOT_FOUND": {
    "cause": "No webhook record of yours in this environment has this id.",
    "fix": "Use an id from `GET /webhooks`."
  },
  "TRANSACTION_NOT_FOUND": {
    "cause": "No transaction of yours in this environment has this id or external reference.",
    "fix": "Check the id. A refused request makes no transaction."
  },
  "E-API-UT.S-39": {
    "cause": "No bank has this id, or the bank has no branches.",
    "fix": "Use the id of a bank with `hasBranches` from `GET /utilities/banks`."
  },
  "E-CH-PY.S-37": {
    "cause": "The provider reports that this account does not exist.",
    "fix": "Check the number with its owner."
  },
  "E-BEN.S-90": {
    "cause": "No external account of yours has this id, or it was deleted.",
    "fix": "Use an id from `GET /external-accounts`."
  },
  "E-B2B-S-118": {
    "cause": "The merchant of this token was removed.",
    "fix": "Contact the operator."
  },
  "LIVE_ONLY": {
    "cause": "A sandbox token was used for a live setting.",
    "fix": "Use a token of a live key pair (`pk_live_…`)."
  },
  "SANDBOX_ONLY": {
    "cause": "A live token was used below `/api/sandbox/`, for a sandbox setting, or with the header `X-Sandbox-Scenario`.",
    "fix": "Use a token of a sandbox key pair (`pk_test_…`). For a live payment, leave the header out."
  },
  "IP_NOT_ALLOWED": {
    "cause": "The key pair has a list of allowed addresses, and the request came from another one.",
    "fix": "Send the request from an allowed address, or ask the operator for a key pair with another list."
  },
  "INSUFFICIENT_SCOPE": {
    "cause": "The key pair was created with fewer scopes than the request needs; `details` names the missing one.",
    "fix": "Use another key pair, or ask the operator for one with that scope."
  },
  "INVALID_API_KEY": {
    "cause": "One of the keys is unknown, mistyped or revoked, or they belong to different pairs.",
    "fix": "Send `publicKey` and the `api-key` header of the same pair. If the API key is lost, ask the operator for a new pair."
  },
  "UNAUTHORIZED": {
    "cause": "The request has no `Authorization: Bearer …` header, or its token was not issued by this service, has expired or was revoked. An API key (`sk_…`) is not a token.",
    "fix": "Exchange your API key for a token at `POST /api/b2b/auth/generate-bearer-token` and retry once."
  },
  "MOMO_CODE_REQUIRED": {
    "cause": "The country has several operators, and the number has no prefix of one of them.",
    "fix": "Send `payoutMethod.code`: one of the ids in `details`. `GET /utilities/momo-operators` lists them."
  },
  "MOMO_OPERATOR_ID_REQUIRED": {
    "cause": "The country has several operators, and the number has no prefix of one of them.",
    "fix": "Send `momoOperatorId`: one of the ids in `details`. `GET /utilities/momo-operators` lists them."
  },
  "DEBIT_COUNTRY_REQUIRED": {
    "cause": "`debitCurrency` differs from the currency paid out, and wallets in it exist for several countries.",
    "fix": "Send `debitCountry`: the country of one of your wallets in that currency."
  },
  "OTP_CODE_REQUIRED": {
    "cause": "This operator requires a one-time code before the payment, and `otpCode` is missing.",
    "fix": "Ask the customer to get the code as `message` says. Then send the same request with `otpCode`; its reference is still free. In the sandbox the code is 123456."
  },
  "VALIDATION_ERROR": {
    "cause": "A field is missing, unknown, or has a value that is not allowed; `details` names each of them.",
    "fix": "Correct the fields named in `details` and send the request again."
  }
}
