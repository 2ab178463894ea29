/** The exit codes, for scripts. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unauthorised: 3,
  unreachable: 4,
  checkFailed: 5,
  interrupted: 130,
} as const

export type Exit = keyof typeof exitCodes

/** The meaning of each exit code; `malipo --help` and docs/reference/cli.md are generated from this. */
export const exitMeanings = {
  done: 'done',
  refused: 'refused: what was asked for was understood and is not done, or a payment that was waited for failed',
  usage: 'not understood: an argument, a file or a setting is wrong or missing',
  unauthorised: 'not authorised: the key pair is wrong, or may not do this',
  unreachable: 'not reached: Malipo, its database or your receiver did not answer',
  checkFailed: 'a check failed: doctor, conformance, ledger check, webhooks verify',
  interrupted: 'interrupted by Ctrl-C before it was done',
} as const satisfies Record<Exit, string>
