import type { Socket } from 'node:net'

/** Resets a connection. One whose end is on its way can't be: Node would neither close it nor let the process go. */
export function breakOff(socket: Socket | null): void {
  if (socket?.writableEnded) socket.destroy()
  else socket?.resetAndDestroy()
}
