/** The failed tests of a run and why they failed, in a few lines that end its output. */

export interface Failure {
  readonly name: string
  readonly file: string
  /** Of the runner; its cause is what the test threw. */
  readonly error: Error
}

const linesMax = 6

/** None for a test that failed only because a test in it did. */
export function failureLines({ name, file, error }: Failure): string[] {
  if ((error as { failureType?: unknown }).failureType === 'subtestsFailed') return []
  const { message } = error.cause instanceof Error ? error.cause : error
  const lines = message.split('\n').filter((line) => line.trim() !== '')
  return [`✖ ${name} (${file})`, ...lines.slice(0, linesMax).map((line) => `    ${line.slice(0, 300)}`)]
}
