import { createProgram } from '../program.ts'
import type { CliEnvironment } from '../surroundings.ts'

/** What a person sees of a command. */
export interface Seen {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The program as a person runs it on a wide terminal without colours; `around` changes that. */
export function commandLine(variables: CliEnvironment['variables'], around: Partial<CliEnvironment> = {}) {
  return async (...args: string[]): Promise<Seen> => {
    let [out, err] = ['', '']
    const write = (text: string) => {
      out += text
    }
    const complain = (text: string) => {
      err += text
    }
    const seen = { variables: { NO_COLOR: '1', ...variables }, actor: 'wanjiru', write, complain }
    const code = await createProgram({ terminal: { columns: 200 }, ...seen, ...around })(args)
    return { code, out, err }
  }
}
