import { natsUrl, optional, secret, whole } from '../config-values.ts'

/** The settings of NATS: a part of config.ts. */
export const natsSettings = {
  natsUrl: {
    name: 'NATS_URL',
    about:
      'NATS servers of one cluster, comma-separated. They wake other processes and carry events to other systems. `nats://` or `tls://`, with `user:password@` or `token@` before the host; one `tls://` requires TLS for all. Empty: no NATS, processes poll for work.',
    read: optional(natsUrl),
    fallback: 'nats://127.0.0.1:4222',
    isSecret: true,
  },
  natsCa: {
    name: 'MALIPO_NATS_CA',
    about:
      "PEM of the authority that signed the NATS servers' certificates. Requires TLS. Empty: the public authorities.",
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  natsCertificate: {
    name: 'MALIPO_NATS_CERTIFICATE',
    about: 'PEM of the client certificate, if NATS requires one. Requires TLS.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  natsKey: {
    name: 'MALIPO_NATS_KEY',
    about: 'PEM of the private key of that certificate.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  natsCredentials: {
    name: 'MALIPO_NATS_CREDENTIALS',
    about: 'NATS credentials, if the URL has none: an nkey seed, or the content of a `.creds` file.',
    read: optional(secret),
    fallback: '',
    isSecret: true,
  },
  natsReplicas: {
    name: 'MALIPO_NATS_REPLICAS',
    about: 'Number of NATS servers that store the stream `EVENTS`: 3 on a cluster of three.',
    read: whole(1, 5),
    fallback: '1',
  },
} as const
