import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from '../packages/server/src/dev-stack/processes.ts'

/** Requests a second that a URL on loopback serves to this many connections; any response but 2xx stops the bench. */
export async function requestsPerSecond(
  url: string,
  load: { seconds: number; connections: number; authorization?: string },
): Promise<number> {
  const program = findProgram('wrk', [], 'wrk')
  const header = load.authorization === undefined ? [] : ['-H', `authorization: ${load.authorization}`]
  const args = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, ...header, url]
  const { stdout } = await promisify(execFile)(program, args)
  const [, rate] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? []
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk got failed responses:\n${stdout}`)
  return Number(rate)
}
