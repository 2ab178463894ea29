import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Whether the text is an address or a range such as 10.0.0.0/8. */
export function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const isFit = bits === undefined ? bitsMax > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax
  return isFit && rest.length === 0
}

/** Returns a check whether an address is in one of the ranges; an empty list allows every address. */
export function allowing(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => true
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return (address) => {
    const version = isIP(plain(address))
    return version !== 0 && list.check(plain(address), version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** The client of a request: the last address reported by trusted proxies that is not itself a trusted proxy. */
export function clientAddress({ headers, socket }: IncomingMessage, isProxy: (address: string) => boolean): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  const addresses = [...forwarded.map((address) => address.trim()), socket.remoteAddress ?? '']
  return addresses.findLast((address) => !isProxy(address)) ?? addresses[0] ?? ''
}

/** The key under which failures are counted. One household or server has a whole /64 of IPv6, so that counts as one address. */
export function countedAs(address: string): string {
  const known = plain(address)
  return isIP(known) === 6 ? `${expand(known).slice(0, 4).join(':')}::/64` : known
}

/** An IPv4-mapped IPv6 address is its IPv4 address. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

function expand(address: string): string[] {
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? []
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const missing = 8 - groups(head).length - groups(tail).length
  const zeros = address.includes('::') ? Array.from({ length: missing }, () => '0') : []
  return [...groups(head), ...zeros, ...groups(tail)].map((group) => Number.parseInt(group, 16).toString(16))
}

const loopback = allowing(['127.0.0.0/8', '::1'])

/** Whether a host of a URL is this machine by its name or number. */
export const isLoopback = (host: string): boolean => host === 'localhost' || loopback(host.replaceAll(/[[\]]/g, ''))
