// Made by npm run generate from tables of the server; do not edit.

/** What the last three digits of a number choose, of a charge, a payout or both. */
export const numbers: readonly { readonly ending: string; readonly of: string; readonly outcome: string; readonly what: string }[] = [
  {
    "ending": "019",
    "of": "charge",
    "outcome": "PAYER_LIMIT_REACHED",
    "what": "The customer has reached a limit of their account."
  },
  {
    "ending": "029",
    "of": "charge",
    "outcome": "PAYER_NOT_FOUND",
    "what": "The phone number has no account with this operator."
  },
  {
    "ending": "039",
    "of": "charge",
    "outcome": "PAYMENT_NOT_APPROVED",
    "what": "The customer did not approve the payment."
  },
  {
    "ending": "049",
    "of": "charge",
    "outcome": "INSUFFICIENT_BALANCE",
    "what": "The customer does not have enough money."
  },
  {
    "ending": "059",
    "of": "charge",
    "outcome": "PAYMENT_IN_PROGRESS",
    "what": "The customer has another pending payment."
  },
  {
    "ending": "069",
    "of": "charge",
    "outcome": "UNSPECIFIED_FAILURE",
    "what": "The operator gave no reason."
  },
  {
    "ending": "109",
    "of": "payout",
    "outcome": "RECIPIENT_LIMIT_REACHED",
    "what": "The recipient has reached a limit of their account."
  },
  {
    "ending": "119",
    "of": "payout",
    "outcome": "UNSPECIFIED_FAILURE",
    "what": "The operator gave no reason."
  },
  {
    "ending": "089",
    "of": "payout",
    "outcome": "RECIPIENT_NOT_FOUND",
    "what": "The recipient has no account there."
  },
  {
    "ending": "099",
    "of": "payout",
    "outcome": "WALLET_LIMIT_REACHED",
    "what": "The recipient's account cannot hold that much."
  },
  {
    "ending": "129",
    "of": "both",
    "outcome": "PENDING",
    "what": "Stays pending until you end it, or it expires."
  },
  {
    "ending": "789",
    "of": "both",
    "outcome": "SUCCESSFUL",
    "what": "Any other ending succeeds within 2 seconds."
  }
]

/** What the last two digits of the whole amount of a refund choose. */
export const refunds: readonly { readonly ending: string; readonly outcome: string; readonly what: string }[] = [
  {
    "ending": "89",
    "outcome": "UNSPECIFIED_FAILURE",
    "what": "The operator gave no reason."
  },
  {
    "ending": "29",
    "outcome": "PENDING",
    "what": "Stays pending until you end it."
  }
]

/** Faults between the systems, for one payment. */
export const scenarios: readonly { readonly name: string; readonly what: string }[] = [
  {
    "name": "lost-answer",
    "what": "The provider executes the payment, but its response and its callback are lost. The payment is in doubt (stage UNCONFIRMED) until Malipo queries the provider, some seconds later. A bank transfer charge returns 503: send the same request again."
  },
  {
    "name": "late-callback",
    "what": "The provider's callback arrives after the first query; it then changes nothing."
  },
  {
    "name": "duplicate-webhook",
    "what": "Every webhook of the payment is delivered twice, under the same id."
  },
  {
    "name": "out-of-order-webhook",
    "what": "The last webhook is delivered before the first; `sequence` has the true order."
  },
  {
    "name": "expiry",
    "what": "The customer never answers, and the charge expires after 15 minutes; advance the clock to see it at once. A payout stays pending, because payouts never expire: simulate-webhook ends it."
  },
  {
    "name": "late-success",
    "what": "The charge fails, and an hour later the provider reports that it succeeded; advance the clock to see it at once. A bank transfer charge then receives its money. A payout succeeds as usual."
  },
  {
    "name": "late-receipt",
    "what": "A bank transfer charge fails, and an hour later its account is paid into; advance the clock to see it at once. Any other payment succeeds as usual."
  },
  {
    "name": "payout-returned",
    "what": "The payout succeeds, and an hour later the provider returns its money; advance the clock to see it at once. A charge succeeds as usual."
  },
  {
    "name": "charge-reversed",
    "what": "The charge succeeds, and an hour later the provider takes its money back; advance the clock to see it at once. A payout succeeds as usual."
  },
  {
    "name": "chargeback-won",
    "what": "The charge succeeds. An hour later the provider takes its money back, and an hour after that gives it back; advance the clock to see both within seconds. A payout succeeds as usual."
  }
]

/** A phone number of each country without its last three digits. */
export const phones: readonly { readonly country: string; readonly name: string; readonly start: string }[] = [
  {
    "country": "BF",
    "name": "Burkina Faso",
    "start": "+22601123"
  },
  {
    "country": "BJ",
    "name": "Benin",
    "start": "+2290145123"
  },
  {
    "country": "CD",
    "name": "DR Congo",
    "start": "+243961234"
  },
  {
    "country": "CG",
    "name": "Congo",
    "start": "+242041234"
  },
  {
    "country": "CI",
    "name": "Côte d'Ivoire",
    "start": "+2250112345"
  },
  {
    "country": "CM",
    "name": "Cameroon",
    "start": "+237650123"
  },
  {
    "country": "ET",
    "name": "Ethiopia",
    "start": "+251712345"
  },
  {
    "country": "GA",
    "name": "Gabon",
    "start": "+24104123"
  },
  {
    "country": "GH",
    "name": "Ghana",
    "start": "+233231234"
  },
  {
    "country": "KE",
    "name": "Kenya",
    "start": "+254101234"
  },
  {
    "country": "MW",
    "name": "Malawi",
    "start": "+265312345"
  },
  {
    "country": "MZ",
    "name": "Mozambique",
    "start": "+258861234"
  },
  {
    "country": "RW",
    "name": "Rwanda",
    "start": "+250721234"
  },
  {
    "country": "SL",
    "name": "Sierra Leone",
    "start": "+23271123"
  },
  {
    "country": "SN",
    "name": "Senegal",
    "start": "+221761234"
  },
  {
    "country": "TG",
    "name": "Togo",
    "start": "+22878123"
  },
  {
    "country": "TZ",
    "name": "Tanzania",
    "start": "+255661234"
  },
  {
    "country": "UG",
    "name": "Uganda",
    "start": "+256701234"
  },
  {
    "country": "ZM",
    "name": "Zambia",
    "start": "+260571234"
  }
]
