import { Type } from 'typebox'
import { type Operation, operation } from './operation.ts'
import {
  Environment,
  KeyView,
  Limit,
  MerchantCurrencies,
  MerchantId,
  MerchantOverview,
  MerchantView,
  NewPair,
  Reason,
  text,
  WalletView,
} from './schema.ts'

const merchant = MerchantId
const publicKey = Type.String({ maxLength: 100 })
const someTexts = Type.Optional(Type.Array(text, { maxItems: 100 }))

/** A key pair with one of these scopes can take money out, or direct it elsewhere. */
const moneyScopes = ['payouts:write', 'external-accounts:write']
const movesMoney = ({ scopes = [] }: { readonly scopes?: readonly string[] }) =>
  scopes.length === 0 || scopes.some((scope) => moneyScopes.includes(scope))

export const merchantOperations: readonly Operation[] = [
  operation({
    name: 'merchants.create',
    method: 'POST',
    path: '/merchants',
    permission: 'merchants:write',
    summary: 'Create a merchant',
    input: Type.Object({ name: text, email: text, firstName: text, lastName: text, country: text }),
    output: MerchantView,
    run: (operator, order) => operator.merchants.create(order),
  }),
  operation({
    name: 'merchants.list',
    method: 'GET',
    path: '/merchants',
    permission: 'merchants:read',
    summary: 'List merchants',
    input: Type.Object({ after: Type.Optional(MerchantId), limit: Limit(1000) }),
    output: Type.Array(MerchantView),
    run: (operator, wanted) => operator.merchants.list(wanted),
  }),
  operation({
    name: 'merchants.show',
    method: 'GET',
    path: '/merchants/:merchant',
    permission: 'merchants:read',
    summary: 'Show a merchant: key pairs, wallets, webhooks, fees and open payments',
    input: Type.Object({ merchant }),
    output: MerchantOverview,
    run: (operator, { merchant: id }) => operator.merchants.show(id),
  }),
  operation({
    name: 'wallets.show',
    method: 'GET',
    path: '/merchants/:merchant/wallets',
    permission: 'merchants:read',
    summary: 'Show the wallets of a merchant',
    input: Type.Object({ merchant, env: Type.Optional(Environment) }),
    output: Type.Array(WalletView),
    run: (operator, { merchant: id, ...wanted }) => operator.wallets.show(id, wanted),
  }),
  operation({
    name: 'merchants.freeze',
    method: 'POST',
    path: '/merchants/:merchant/freeze',
    permission: 'merchants:freeze',
    isSteppedUp: true,
    summary: 'Freeze a merchant: none of its payments is sent',
    input: Type.Object({ merchant, reason: Reason }),
    output: MerchantView,
    run: (operator, { merchant: id, reason }) => operator.merchants.freeze(id, reason),
  }),
  operation({
    name: 'merchants.unfreeze',
    method: 'POST',
    path: '/merchants/:merchant/unfreeze',
    permission: 'merchants:freeze',
    isSteppedUp: true,
    summary: 'Unfreeze a merchant: its held payments are sent',
    input: Type.Object({ merchant, reason: Reason }),
    output: MerchantView,
    run: (operator, { merchant: id, reason }) => operator.merchants.unfreeze(id, reason),
  }),
  operation({
    name: 'merchants.currencies',
    method: 'GET',
    path: '/merchants/:merchant/currencies',
    permission: 'merchants:read',
    summary: 'Show the currencies of a merchant',
    input: Type.Object({ merchant }),
    output: Type.Array(MerchantCurrencies),
    run: (operator, { merchant: id }) => operator.merchants.currencies(id),
  }),
  operation({
    name: 'merchants.setCurrencies',
    method: 'PUT',
    path: '/merchants/:merchant/currencies',
    permission: 'merchants:write',
    summary: 'Turn currencies of a merchant on and off',
    input: Type.Object({
      merchant,
      env: Environment,
      enable: someTexts,
      disable: someTexts,
      only: someTexts,
      reason: Reason,
    }),
    output: MerchantCurrencies,
    run: (operator, { merchant: id, ...order }) => operator.merchants.setCurrencies(id, order),
  }),
  operation({
    name: 'keys.list',
    method: 'GET',
    path: '/merchants/:merchant/keys',
    permission: 'merchants:read',
    summary: 'List the key pairs of a merchant',
    input: Type.Object({ merchant }),
    output: Type.Array(KeyView),
    run: (operator, { merchant: id }) => operator.keys.list(id),
  }),
  operation({
    name: 'keys.create',
    method: 'POST',
    path: '/merchants/:merchant/keys',
    permission: 'keys:create',
    isSteppedUp: true,
    summary: 'Create a key pair',
    input: Type.Object({
      merchant,
      env: Environment,
      scopes: someTexts,
      addresses: someTexts,
      reason: Type.Optional(Reason),
    }),
    output: NewPair,
    control: {
      approve: 'keys:approve',
      isNeeded: movesMoney,
      describe: ({ merchant: id, env, scopes = [] }) =>
        `Create a ${env} key pair for ${id} with ${scopes.length === 0 ? 'all scopes' : scopes.join(', ')}`,
    },
    run: (operator, { merchant: id, reason: _, ...order }) => operator.keys.create(id, order),
  }),
  operation({
    name: 'keys.rotate',
    method: 'POST',
    path: '/keys/:publicKey/rotate',
    permission: 'keys:create',
    isSteppedUp: true,
    summary: 'Replace the API key of a pair',
    input: Type.Object({ publicKey, reason: Type.Optional(Reason) }),
    output: NewPair,
    control: {
      approve: 'keys:approve',
      isNeeded: ({ publicKey: key }) => key.startsWith('pk_live_'),
      describe: ({ publicKey: key }) => `Replace the API key of ${key}`,
    },
    run: (operator, { publicKey: key }) => operator.keys.rotate(key),
  }),
  operation({
    name: 'keys.revoke',
    method: 'POST',
    path: '/keys/:publicKey/revoke',
    permission: 'keys:revoke',
    isSteppedUp: true,
    summary: 'Revoke a key pair',
    input: Type.Object({ publicKey, reason: Reason }),
    output: Type.Object({}),
    run: async (operator, { publicKey: key, reason }) => {
      await operator.keys.revoke(key, reason)
      return {}
    },
  }),
]
