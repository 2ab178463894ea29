import type { CliEnvironment } from './cli-environment.ts'

/** Says on standard error, before anything happens, what --break-glass skips and that it leaves a trace. */
export function warnBreakGlass({ writeError, actor }: CliEnvironment): void {
  writeError(`WARNING: --break-glass works on the database itself.
  No role is checked, and no second person approves.
  The audit trail records every change as break-glass by ${actor}, the account of this machine.
`)
}
