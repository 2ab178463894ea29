/** What a command is run with: nothing is taken from anywhere else. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Who is at the keyboard, for the audit trail. */
  readonly actor: string
  readonly write: (text: string) => void
  readonly complain: (text: string) => void
  /** Where `write` goes, if a person looks at it; without it, a program or a file does. */
  readonly terminal?: { readonly columns: number } | undefined
  /** Whether a person looks at where `complain` goes. */
  readonly isWatched?: boolean
  /** Asks the person who is there; without it, nobody is. */
  readonly ask?: (question: string, options: { readonly isSecret: boolean }) => Promise<string>
  /** What is piped in, if anything is. */
  readonly input?: AsyncIterable<string | Uint8Array>
  /** Runs another program in the foreground and gives its exit code. */
  readonly run?: (program: string, args: readonly string[]) => Promise<number>
  /** Shows an address in the person's browser; without it, there is none. */
  readonly browse?: (address: string) => void
  /** Ends what would go on until Ctrl-C, and breaks off what is under way; without it, only Ctrl-C does. */
  readonly signal?: AbortSignal
}
