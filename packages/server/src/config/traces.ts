import { optional, otlpHeaders, otlpUrl, share } from '../config-values.ts'

const traceUrl = {
  name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  about:
    'URL of a receiver of OpenTelemetry traces by OTLP over HTTP, such as http://127.0.0.1:4318; `/v1/traces` is appended. Empty: no traces.',
  read: optional(otlpUrl),
  fallback: '',
} as const

/** The settings of traces: a part of config.ts. Their names are those of OpenTelemetry, which takes an empty value as unset. */
export const traceSettings = {
  traceUrl,
  traceHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    about:
      'Headers for that receiver, such as `authorization=Bearer%20abc`: comma-separated, with values percent-encoded.',
    read: optional(otlpHeaders),
    fallback: '',
    isSecret: true,
    usedWith: traceUrl,
  },
  traceShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    about: 'Share of payments that have a trace, from 0 to 1. Set the same for every process of a cell.',
    read: (text: string) => share(text || '1'),
    fallback: '1',
    usedWith: traceUrl,
  },
} as const
