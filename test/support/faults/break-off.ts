import type { Socket } from 'node:net'

/** Resets a connection. One that is already closing must not be reset: Node would neither close it nor let the process exit. */
export function breakOff(socket: Socket | null): void {
  if (socket?.writableEnded) socket.destroy()
  else socket?.resetAndDestroy()
}
