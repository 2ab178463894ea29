import { connect } from 'node:net'
import pg from 'pg'
import { breakOff, connectWriter, type DatabaseOptions } from './connections.ts'

/** A separate connection that finds out whether the database is writable, however busy the pools are. */
export interface WriteProbe {
  /** Returns once a write is committed like every other: also on the synchronous standby. */
  write(): Promise<void>
  use<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** How long the server may take for a statement of the probe, and how much longer this side waits for the response. */
const patience = { statementTimeoutMs: 1500, silenceMs: 500 }

interface Held {
  readonly client: pg.Client
  readonly server: string
}

/** Connects on use, and again after any failure. `onServer` gets the server that took a write. */
export function openWriteProbe(options: DatabaseOptions, onServer: (server: string) => void): WriteProbe {
  let opening: Promise<Held> | undefined
  const use = async <Result>(work: (held: Held) => Promise<Result>) => {
    opening ??= connectWriter({ ...options, ...patience })
    const mine = opening
    try {
      return await work(await mine)
    } catch (error) {
      if (opening === mine) opening = undefined
      void mine.then(({ client }) => letGo(client, error as Error), ignore)
      throw error
    }
  }
  return {
    use: (work) => use(({ client }) => work(client)),
    write: () =>
      use(async ({ client, server }) => {
        await client.query('update write_probe set at = clock_timestamp()')
        onServer(server)
      }),
    close: async () => {
      const held = await opening?.catch(ignore)
      if (held) await held.client.end().catch(ignore)
    },
  }
}

/**
 * A session that waits for the standby does not notice that its client has gone: every probe would leave one behind until the
 * server has no connection left. Unlike a payment's session it may be cancelled, because it does not matter whether this write is
 * on the standby.
 */
function letGo(client: pg.Client, error: Error): void {
  breakOff(client)
  if (error instanceof pg.DatabaseError) return
  const { host, port, processID, secretKey } = client as pg.Client & { processID: number; secretKey: number }
  const request = Buffer.alloc(16)
  for (const [index, value] of [16, cancelCode, processID, secretKey].entries()) request.writeInt32BE(value, index * 4)
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
  socket.setTimeout(patience.statementTimeoutMs, () => socket.destroy())
  socket.on('error', ignore)
  socket.end(request)
}

/** PostgreSQL's protocol code to cancel a session's statement; it needs no login. */
const cancelCode = 80_877_102

const ignore = () => undefined
