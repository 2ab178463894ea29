import type { CliEnvironment } from '../cli-environment.ts'
import { createProgram } from '../program.ts'

/** What a person sees of a command. */
export interface Seen {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The program as a person runs it on a wide terminal without colours; `over` changes that. */
export function commandLine(variables: CliEnvironment['variables'], over: Partial<CliEnvironment> = {}) {
  return async (...args: string[]): Promise<Seen> => {
    let [out, err] = ['', '']
    const write = (text: string) => {
      out += text
    }
    const writeError = (text: string) => {
      err += text
    }
    const seen = { variables: { NO_COLOR: '1', ...variables }, actor: 'wanjiru', write, writeError }
    const code = await createProgram({ terminal: { columns: 200 }, ...seen, ...over })(args)
    return { code, out, err }
  }
}
