/** Everything a command takes from its environment. */
export interface CliEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The person at the keyboard, for the audit trail. */
  readonly actor: string
  /** How the user started the program; without it, `malipo`. */
  readonly commandName?: string
  /** The current folder; without it, no stack of `npm run dev` is searched for. */
  readonly folder?: string
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  /** Writes bytes as they are, and resolves when more may follow. */
  readonly writeBytes?: (bytes: Uint8Array) => Promise<void>
  /** The terminal of `write`; without it, the output goes to a program or a file. */
  readonly terminal?: { readonly columns: number } | undefined
  /** Whether `writeError` writes to a terminal. */
  readonly hasErrorTerminal?: boolean
  /** Asks the person at the terminal; absent if there is none. */
  readonly ask?: (question: string, options: { readonly isSecret: boolean }) => Promise<string>
  /** The piped input, if any. */
  readonly input?: AsyncIterable<string | Uint8Array>
  /** Runs another program in the foreground and returns its exit code. */
  readonly run?: (program: string, args: readonly string[]) => Promise<number>
  /** Opens an address in the browser; absent if there is none. */
  readonly browse?: (address: string) => void
  /** Interrupts the running command; without it, only Ctrl-C does. */
  readonly signal?: AbortSignal
}
