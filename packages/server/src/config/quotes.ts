import { whole } from '../config-values.ts'

/** The settings of quotes: a part of config.ts. */
export const quoteSettings = {
  quoteSeconds: {
    name: 'MALIPO_QUOTE_SECONDS',
    about:
      'How long a quote can be executed. A quote with an exchange rate never outlives the rate, which is used for 5 minutes at most.',
    read: whole(1, 300),
    fallback: '60',
  },
} as const
