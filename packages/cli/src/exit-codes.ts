/** The exit codes, for scripts. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  unauthorised: 3,
  unreachable: 4,
  checkFailed: 5,
  proposed: 6,
  interrupted: 130,
} as const

export type Exit = keyof typeof exitCodes

/** The meaning of each exit code; `malipo --help` and docs/reference/cli.md are generated from this. */
export const exitMeanings = {
  done: 'done',
  refused: 'request rejected, or the awaited payment failed',
  usage: 'usage error: an argument, file or setting is wrong or missing',
  unauthorised: 'not authorised: wrong key pair or session, or its scopes or roles do not allow this',
  unreachable: 'unreachable: Malipo, its database or your receiver did not respond',
  checkFailed: 'check failed: doctor, config check, conformance, ledger check, audit verify, webhooks verify',
  proposed: 'proposed: nothing is changed yet, another person must approve it: malipo proposals',
  interrupted: 'interrupted by Ctrl-C',
} as const satisfies Record<Exit, string>
