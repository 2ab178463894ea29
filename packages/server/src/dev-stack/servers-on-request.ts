import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, connect as openSocket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** What a test file needs to know about the servers of its run. */
export interface Servers {
  readonly adminUrl: string
  readonly loginPassword: string
  readonly natsUrl: string
  /** The migrated database that each test file copies. */
  readonly template: string
}

export interface RunningServers {
  readonly servers: Servers
  stop(): Promise<void>
}

/** The variable with the socket of the run. */
export const socketVariable = 'MALIPO_TEST_SERVERS'

type Reply = { readonly servers: Servers } | { readonly problem: string }

/**
 * Listens on a socket in the folder, and starts the servers when the first test process asks for them: a run of tests that need
 * none starts none. This module imports no driver, so that such a run does not load them either.
 */
export async function offerServers(
  folder: string,
  start: () => Promise<RunningServers>,
): Promise<{ readonly exports: { readonly [socketVariable]: string }; stop(): Promise<void> }> {
  let running: Promise<RunningServers> | undefined
  const replyOf = async (): Promise<Reply> => {
    running ??= start()
    return running.then(
      ({ servers }) => ({ servers }),
      (error: Error) => ({ problem: error.message }),
    )
  }
  const path = join(folder, 'servers.sock')
  const listener = createServer((socket) => {
    socket.on('error', () => undefined) // The test process ended before it got the reply.
    void replyOf().then((reply) => socket.end(JSON.stringify(reply)))
  }).listen(path)
  await once(listener, 'listening')
  chmodSync(path, 0o600)
  return {
    exports: { [socketVariable]: path },
    stop: async () => {
      listener.close()
      await running?.then(
        (each) => each.stop(),
        () => undefined,
      )
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Asks the run that listens on the socket. Waits while it starts the servers. */
export async function askForServers(path: string): Promise<Servers> {
  const reply = JSON.parse(await text(openSocket(path))) as Reply
  if ('problem' in reply) throw new Error(`the test servers could not be started: ${reply.problem}`)
  return reply.servers
}
