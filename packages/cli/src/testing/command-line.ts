import { createProgram } from '../program.ts'
import type { Surroundings } from '../surroundings.ts'

/** What a person would see of a command. */
export interface Seen {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The program as somebody at a wide terminal runs it, who has asked for no colours; `around` changes that. */
export function commandLine(variables: Surroundings['variables'], around: Partial<Surroundings> = {}) {
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
