import assert from 'node:assert/strict'
import { BlockList, isIP, SocketAddress } from 'node:net'
import { isRange } from './addresses.ts'

/**
 * Where no webhook may lead. Only the public internet is left: forbidden are IANA's special-purpose ranges and the metadata
 * addresses of clouds. IPv6 is forbidden except for 2000::/3, the allocated part, so that every present and future way to write
 * an IPv4 address as IPv6 is forbidden too.
 */
export const forbiddenRanges = {
  ipv4: {
    '0.0.0.0/8': 'this network; Linux takes 0.0.0.0 for the machine itself',
    '10.0.0.0/8': 'private',
    '100.64.0.0/10': 'shared by carriers; metadata of Alibaba (100.100.100.200), Tailscale',
    '127.0.0.0/8': 'loopback',
    '168.63.129.16/32': 'public by its number, yet the host of every machine in Azure',
    '169.254.0.0/16': 'link-local; metadata of most clouds (169.254.169.254)',
    '172.16.0.0/12': 'private',
    '192.0.0.0/24': 'protocol assignments; metadata of Oracle (192.0.0.192)',
    '192.0.2.0/24': 'documentation',
    '192.88.99.0/24': 'relays of 6to4, withdrawn',
    '192.168.0.0/16': 'private',
    '198.18.0.0/15': 'benchmarks',
    '198.51.100.0/24': 'documentation',
    '203.0.113.0/24': 'documentation',
    '224.0.0.0/4': 'multicast',
    '240.0.0.0/4': 'reserved, and broadcast at its end',
  },
  ipv6: {
    '::/8': 'unspecified, loopback, IPv4 mapped, compatible and translated, NAT64 (64:ff9b::/96, 64:ff9b:1::/48)',
    '100::/8': 'discard (100::/64) and beyond',
    '200::/7': 'not given out',
    '400::/6': 'not given out',
    '800::/5': 'not given out',
    '1000::/4': 'not given out',
    '2001::/23': 'protocol assignments: Teredo, benchmarks, ORCHID',
    '2001:db8::/32': 'documentation',
    '2002::/16': '6to4, which holds an IPv4 address',
    '3fff::/20': 'documentation',
    '4000::/2': 'not given out; segment routing (5f00::/16)',
    '8000::/2': 'not given out',
    'c000::/3': 'not given out',
    'e000::/4': 'not given out',
    'f000::/5': 'not given out',
    'f800::/6': 'not given out',
    'fc00::/7': 'unique local; metadata of AWS (fd00:ec2::254) and Google (fd20:ce::254)',
    'fe00::/7': 'link-local, site-local and multicast',
  },
} as const

/** Returns an address in the form that sockets use, if it may be connected to; else undefined. */
export type Permit = (address: string) => string | undefined

/**
 * Permits the public internet and the operator's allowed ranges. Each family has its own lists: a `BlockList` also matches an
 * IPv4 address by its mapped IPv6 form, so with `::/8` in the same list no IPv4 would be left, and an allowed IPv4 range would
 * let its IPv6 forms through.
 */
export function createPermit(allowedRanges: readonly string[]): Permit {
  for (const range of allowedRanges) assert(isRange(range), `${range} is not a range`)
  const forbidden = listsOf([...Object.keys(forbiddenRanges.ipv4), ...Object.keys(forbiddenRanges.ipv6)])
  const allowed = listsOf(allowedRanges)
  return (address) => {
    const family = familyOf(address)
    if (family === undefined) return undefined
    const isPermitted = !forbidden[family].check(address, family) || allowed[family].check(address, family)
    return isPermitted ? new SocketAddress({ address, family }).address : undefined
  }
}

type Family = 'ipv4' | 'ipv6'

/** An address with a zone (`fe80::1%eth0`) is never public, and the lists would drop the zone. */
function familyOf(address: string): Family | undefined {
  if (address.includes('%')) return undefined
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)]
}

function listsOf(ranges: readonly string[]): Record<Family, BlockList> {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    lists[family].addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return lists
}
