import { oneOf } from '../config-values.ts'

/** The settings of `npm run dev`: a part of config.ts. */
export const developmentSettings = {
  development: {
    name: 'MALIPO_DEVELOPMENT',
    about:
      'What `npm run dev` needs is added by `on`: links that sign a person in once, and the handset. It needs a `MALIPO_PUBLIC_URL` on this machine and no live provider; otherwise the process does not start.',
    read: oneOf('on', 'off'),
    fallback: 'off',
  },
} as const
