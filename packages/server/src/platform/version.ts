import manifest from '../../package.json' with { type: 'json' }

/** Of this program, as released. */
export const { version } = manifest
