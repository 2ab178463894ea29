import { optional, otlpHeaders, otlpUrl, share } from '../config-values.ts'

/** The settings of traces: a part of config.ts. Their names are those of OpenTelemetry. */
export const traceSettings = {
  traceUrl: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    about:
      'URL of a receiver of OpenTelemetry traces by OTLP over HTTP, such as http://127.0.0.1:4318; `/v1/traces` is appended. Empty: no traces.',
    read: optional(otlpUrl),
    fallback: '',
  },
  traceHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    about:
      'Headers for that receiver, such as `authorization=Bearer%20abc`: comma-separated, with values percent-encoded.',
    read: optional(otlpHeaders),
    fallback: '',
    isSecret: true,
  },
  traceShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    about: 'Share of payments that have a trace, from 0 to 1. Set the same for every process of a cell.',
    read: share,
    fallback: '1',
  },
} as const
