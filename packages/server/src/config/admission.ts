import { whole } from '../config-values.ts'

/** How much one process works on at a time: a part of the settings in config.ts. The reasons are in docs/decisions/admission.md. */
export const admissionSettings = {
  liveRequests: {
    name: 'MALIPO_REQUESTS_AT_ONCE_LIVE',
    about: 'Number of live requests that one process works on at a time. Further ones wait for a place.',
    read: whole(1, 10_000),
    fallback: '160',
  },
  sandboxRequests: {
    name: 'MALIPO_REQUESTS_AT_ONCE_SANDBOX',
    about: 'The same for the sandbox, while there is no live traffic; a quarter of it within a second of live traffic.',
    read: whole(4, 10_000),
    fallback: '160',
  },
  callbackRequests: {
    name: 'MALIPO_REQUESTS_AT_ONCE_CALLBACKS',
    about: "The same for providers' callbacks.",
    read: whole(1, 10_000),
    fallback: '64',
  },
} as const
