/** Where a phone finds the handset, and the code that it scans. */
import { networkInterfaces } from 'node:os'
import { qrCode } from '../../packages/server/src/platform/qr-code.ts'

/** The first address of this machine in its local network; undefined without one. */
export function lanAddress(interfaces = networkInterfaces()): string | undefined {
  const all = Object.values(interfaces).flatMap((each) => each ?? [])
  return all.find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))
    ?.address
}

const quiet = 2

/** A QR code in characters of which each is two modules high. Dark modules are spaces, so that it reads on a dark terminal too. */
export function terminalQr(text: string): string {
  const modules = qrCode(text) ?? []
  const isLight = (x: number, y: number) => modules[y - quiet]?.[x - quiet] !== true
  const size = modules.length + 2 * quiet
  const signs = [' ', '▄', '▀', '█']
  const rows = Array.from({ length: Math.ceil(size / 2) }, (_, row) =>
    Array.from({ length: size }, (__, x) => {
      const [upper, lower] = [isLight(x, 2 * row), 2 * row + 1 < size && isLight(x, 2 * row + 1)]
      return signs[(upper ? 2 : 0) + (lower ? 1 : 0)]
    }).join(''),
  )
  return rows.join('\n')
}
