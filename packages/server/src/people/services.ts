import type { Config } from '../config.ts'
import type { WriteDb } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { createFailedSignIns, type FailedSignIns } from './failed-sign-ins.ts'
import { createOidc, type Oidc } from './oidc.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createSignInThrottle, type SignInThrottle } from './throttle.ts'

/** What signing in needs in a process beside the database. */
export interface SignInServices {
  readonly passwords: Passwords
  readonly throttle: SignInThrottle
  readonly failures: FailedSignIns
  /** Undefined unless the operator has configured a provider. */
  readonly oidc: Oidc | undefined
}

export function createSignInServices({
  db,
  config,
  log,
}: {
  readonly db: WriteDb
  readonly config: Config
  readonly log: Log
}): SignInServices {
  return {
    passwords: createPasswords(),
    throttle: createSignInThrottle(db),
    failures: createFailedSignIns({ db, cell: config.cell, log }),
    oidc: createOidc(config),
  }
}
