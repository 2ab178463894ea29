/** A call that must reach no server: a URL, and the name servers' responses for its host. */
export interface SsrfCase {
  readonly url: string
  readonly answers: readonly string[]
}

/**
 * Written separately from the IANA registries and the cloud manuals, so that a range missing from the gate's own list is found.
 */
const forbidden = {
  ipv4: [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 100.100.100.200/32 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 169.254.169.254/32',
    '172.16.0.0/12 192.0.0.0/24 192.0.0.192/32 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24',
    '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32',
  ].flatMap((line) => line.split(' ')),
  ipv6: [
    '::/128 ::1/128 ::/8 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23',
    '2001::/32 2001:2::/48 2001:10::/28 2001:20::/28 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7',
    'fd00:ec2::254/128 fd20:ce::254/128 fe80::/10 fec0::/10 ff00::/8 4000::/3 a000::/3 1000::/4',
  ].flatMap((line) => line.split(' ')),
}

/** Addresses of the public internet, some of them next to a forbidden range. */
export const publicAddresses = [
  '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15',
  '168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0',
  '192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255',
  '2000:: 2001:200:: 2001:db7:ffff:: 2001:db9:: 2001:ffff:: 2003:: 2606:4700::1111 2a00:1450:4009::200e 3ffe:ffff:: 3fff:1000::',
].flatMap((line) => line.split(' '))

/** First, middle and last address of every range. */
export const forbiddenAddresses = {
  ipv4: forbidden.ipv4.flatMap((range) => samples(range, 32).map(dotted)),
  ipv6: forbidden.ipv6.flatMap((range) => samples(range, 128).map(colons)),
}

function samples(range: string, width: number): bigint[] {
  const [address = '', bits = ''] = range.split('/')
  const first = width === 32 ? numberOf(address) : wideNumberOf(address)
  const last = first + 2n ** BigInt(width - Number(bits)) - 1n
  return [...new Set([first, (first + last) / 2n, last])]
}

function numberOf(address: string): bigint {
  return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
}

function wideNumberOf(address: string): bigint {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0')
  const all = address.includes('::') ? [...groups(head), ...zeros, ...groups(tail)] : groups(head)
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

function octetsOf(value: bigint): number[] {
  return [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 255n))
}

function dotted(value: bigint): string {
  return octetsOf(value).join('.')
}

function colons(value: bigint): string {
  const digits = value.toString(16).padStart(32, '0')
  return (digits.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}

/** Every spelling of one IPv4 address as a host that some program understands. */
export function disguises(address: string): string[] {
  const value = numberOf(address)
  const octets = octetsOf(value)
  const [a = 0, b = 0, c = 0, d = 0] = octets
  const hex = (part: number | bigint) => part.toString(16)
  const oct = (part: number | bigint) => `0${part.toString(8)}`
  const wide = (text: string, zero: number) =>
    text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
  const [high, low] = [hex(value >> 16n), hex(value & 65_535n)]
  const turned = ~value & 0xffff_ffffn
  return [
    address,
    String(value),
    `0x${hex(value)}`,
    `0X${hex(value).toUpperCase().padStart(12, '0')}`,
    oct(value),
    octets.map((part) => `0x${hex(part)}`).join('.'),
    octets.map(oct).join('.'),
    octets.map((part) => `00000${oct(part)}`).join('.'),
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.${oct(b)}.${c}.${d}`,
    `${address}.`,
    `${address}..`,
    wide(address, 0xff10),
    wide(address, 0x1d7d8),
    address.replaceAll('.', '。'),
    address.replace(/./g, (character) => `%${hex(character.charCodeAt(0))}`),
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[::ffff:0:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[2001::${hex(turned >> 16n)}:${hex(turned & 65_535n)}]`,
    `[fe80::5efe:${address}]`,
    `[::5efe:${address}]`,
  ]
}

/** Hosts in URLs that lead to a forbidden address without any name server. */
export function literalCases(port: number): SsrfCase[] {
  const hosts = [
    ...forbiddenAddresses.ipv4.flatMap(disguises),
    ...forbiddenAddresses.ipv6.flatMap((address) => [`[${address}]`, `[${address.toUpperCase()}]`]),
    ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.LocalHost..', 'ⓛocalhost', 'loc%61lhost'],
  ]
  return hosts.map((host) => ({ url: `http://${host}:${port}/`, answers: [] }))
}

/** Names whose servers mix a forbidden address with good ones, in every position. A CNAME leads to such a response too. */
export function answerCases(port: number): SsrfCase[] {
  const [good, wideGood] = ['93.184.216.34', '2606:4700::1111']
  const many = Array.from({ length: 30 }, (_, index) => `93.184.216.${index + 1}`)
  const bad = [...forbiddenAddresses.ipv4, ...forbiddenAddresses.ipv6, 'fe80::1%lo', '::1%lo']
  const answers = bad.flatMap((address) => [
    [address],
    [good, address],
    [address, good],
    [wideGood, address, good],
    [...many, address],
  ])
  return answers.map((each) => ({ url: `http://rebound.example:${port}/`, answers: each }))
}

/** URLs that two parsers may read differently, or that smuggle something in. */
export function urlCases(port: number): SsrfCase[] {
  const at = `127.0.0.1:${port}`
  const urls = [
    ...[
      `http://good.example@${at}/`,
      `http://a:b@${at}/`,
      `http://good.example%40${at}/`,
      `http://${at}@good.example/`,
    ],
    ...[
      `http://${at}\\@good.example/`,
      `http://good.example\\@${at}/`,
      `http:\\\\${at}/`,
      `http:/${at}/`,
      `http:${at}/`,
    ],
    ...[
      `http://${at}/#`,
      `http://${at}#@good.example/`,
      `http://good.example#@${at}/`,
      `http://${at}%23@good.example/`,
    ],
    ...[`http://[fe80::1%25lo]:${port}/`, `http://[::1%25lo]:${port}/`, `http://[::1%lo]:${port}/`, `//${at}/`, at, ''],
    ...[
      `ht\ntp://${at}/`,
      `http://127.0.0\t.1:${port}/`,
      ` http://${at}/`,
      `http://${at}/\r\nHost: x`,
      `http://${at} /`,
    ],
    ...[`file:///etc/passwd`, `ftp://${at}/`, `gopher://${at}/_`, `ws://${at}/`, `data:text/plain,x`, 'javascript:1'],
    ...[`http://127.0.0.1\0.example:${port}/`, `http://127.0.0.1%00.example:${port}/`, `http://..:${port}/`, 'http://'],
    ...['http://10.0.0.1:22/', 'http://93.184.216.34:22/', 'http://93.184.216.34:25/', 'http://93.184.216.34:0/'],
    ...[`http://good.example:99999/`, `http://1.2.3.4.5:${port}/`, `http://256.256.256.256/`, `http://0x100000000/`],
    `http://good.example/${'x'.repeat(2048)}`,
  ]
  return urls.map((url) => ({ url, answers: ['127.0.0.1'] }))
}
