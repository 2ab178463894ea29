import { whole } from '../config-values.ts'

/** How long rows are kept that no payment needs: a part of config.ts. docs/operating/retention.md says what each means. */
export const retentionSettings = {
  requestLogDays: {
    name: 'MALIPO_KEEP_REQUEST_LOG_DAYS',
    about: "Days that merchants' request log is kept. At least the 7 that the API promises.",
    read: whole(7, 400),
    fallback: '7',
  },
  callbackDays: {
    name: 'MALIPO_KEEP_CALLBACK_DAYS',
    about:
      "Days that providers' callbacks are kept, to the end of their month. At least 30, the time in which most disputes are opened. Callbacks of open payments and open cases stay.",
    read: whole(30, 3650),
    fallback: '90',
  },
  webhookDays: {
    name: 'MALIPO_KEEP_WEBHOOK_DAYS',
    about:
      'Days that webhook records are kept, to the end of their month. At least 30, like the feed of events. Records that are still to be delivered stay.',
    read: whole(30, 3650),
    fallback: '90',
  },
} as const

export type RetentionDays = Readonly<Record<keyof typeof retentionSettings, number>>
