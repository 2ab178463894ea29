import { issuerUrl, nonEmpty, optional, secret, whole } from '../config-values.ts'

/** The settings of people and the operator's machines: a part of the settings in config.ts. */
export const peopleSettings = {
  peopleRateLimit: {
    name: 'MALIPO_RATE_LIMIT_PEOPLE',
    about:
      'Requests per second of one signed-in person or one machine of the operator, for each api process; twice as many in a burst.',
    read: whole(1, 1_000_000),
    fallback: '50',
  },
  oidcIssuer: {
    name: 'MALIPO_OIDC_ISSUER',
    about:
      'Issuer URL of an OpenID Connect provider at which people may sign in, such as https://login.example.com. Its redirect URL is `/people/v1/sign-in/oidc/callback`. Empty: people sign in with passkeys and passwords only.',
    read: optional(issuerUrl),
    fallback: '',
  },
  oidcClientId: {
    name: 'MALIPO_OIDC_CLIENT_ID',
    about: 'Client id of Malipo at that provider.',
    read: optional(nonEmpty),
    fallback: '',
  },
  oidcClientSecret: {
    name: 'MALIPO_OIDC_CLIENT_SECRET',
    about: 'Client secret of Malipo at that provider.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
} as const
