// Made by npm run generate from tables of the server; do not edit.

export interface Role {
  readonly role: 'viewer' | 'support' | 'developer' | 'finance' | 'approver' | 'owner'
  readonly summary: string
  readonly permissions: readonly string[]
  /** In the sandbox only. */
  readonly sandbox: readonly string[]
}

/** The roles of a merchant's people. */
export const roles: readonly Role[] = [
  {
    "role": "viewer",
    "summary": "Sees payments and balances",
    "permissions": [
      "payments:read",
      "personal-data:read"
    ],
    "sandbox": []
  },
  {
    "role": "support",
    "summary": "Answers customers; sees masked numbers",
    "permissions": [
      "payments:read",
      "webhooks:read",
      "webhooks:resend"
    ],
    "sandbox": []
  },
  {
    "role": "developer",
    "summary": "Integrates: key pairs, webhooks, and payments of the sandbox",
    "permissions": [
      "webhooks:read",
      "webhooks:resend",
      "developers:write"
    ],
    "sandbox": [
      "payments:read",
      "personal-data:read",
      "payouts:create",
      "beneficiaries:write"
    ]
  },
  {
    "role": "finance",
    "summary": "Creates payouts and exports statements",
    "permissions": [
      "payments:read",
      "personal-data:read",
      "payments:export",
      "payouts:create",
      "beneficiaries:write"
    ],
    "sandbox": []
  },
  {
    "role": "approver",
    "summary": "Finance, and approves payouts of others",
    "permissions": [
      "payments:read",
      "personal-data:read",
      "payments:export",
      "payouts:create",
      "payouts:approve",
      "beneficiaries:write"
    ],
    "sandbox": []
  },
  {
    "role": "owner",
    "summary": "Everything within the merchant",
    "permissions": [
      "payments:read",
      "personal-data:read",
      "payments:export",
      "payouts:create",
      "payouts:approve",
      "beneficiaries:write",
      "webhooks:read",
      "webhooks:resend",
      "developers:write",
      "controls:write",
      "people:read",
      "people:write",
      "audit:read"
    ],
    "sandbox": []
  }
]

/** What each permission allows. */
export const permissionWords: Readonly<Record<string, string>> = {
  "payments:read": "See payments, balances and statements",
  "personal-data:read": "See phone and account numbers in full",
  "payments:export": "Export payments and statements",
  "payouts:create": "Create and cancel payouts, and refund charges",
  "payouts:approve": "Approve and reject payouts of others",
  "beneficiaries:write": "Create, change and delete beneficiaries",
  "webhooks:read": "See webhooks, the event feed and the request log",
  "webhooks:resend": "Send a webhook again",
  "developers:write": "Create, rotate and revoke key pairs; set webhook URLs and secrets",
  "controls:write": "Set payout limits and approval rules",
  "people:read": "See people and their roles",
  "people:write": "Invite people, and grant and end roles",
  "audit:read": "Read the audit trail"
}

/** The scopes of a key pair, with the permissions that the person who creates it must hold. */
export const scopes: readonly { readonly scope: string; readonly needs: readonly string[] }[] = [
  {
    "scope": "charges:write",
    "needs": []
  },
  {
    "scope": "payouts:write",
    "needs": [
      "payouts:create",
      "personal-data:read"
    ]
  },
  {
    "scope": "refunds:write",
    "needs": []
  },
  {
    "scope": "external-accounts:write",
    "needs": [
      "beneficiaries:write",
      "personal-data:read"
    ]
  },
  {
    "scope": "transactions:read",
    "needs": [
      "payments:read",
      "personal-data:read"
    ]
  },
  {
    "scope": "webhooks:read",
    "needs": [
      "webhooks:read",
      "personal-data:read"
    ]
  },
  {
    "scope": "webhooks:write",
    "needs": []
  },
  {
    "scope": "reference:read",
    "needs": []
  },
  {
    "scope": "profile:read",
    "needs": [
      "payments:read"
    ]
  },
  {
    "scope": "profile:write",
    "needs": [
      "payments:read"
    ]
  }
]
