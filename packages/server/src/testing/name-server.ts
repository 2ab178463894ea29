import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { SocketAddress } from 'node:net'
import type { TestContext } from 'node:test'

/** The response for a name: addresses, another name, an error, or silence. */
export type Saying =
  | { readonly a?: readonly string[]; readonly aaaa?: readonly string[]; readonly cname?: string }
  | NameFailure

type NameFailure = 'missing' | 'broken' | 'silent'

/** A name server over UDP. The test decides each response; the time to live is 0. */
export async function startNameServer(
  t: TestContext,
  say: (name: string, type: 'a' | 'aaaa') => Saying,
): Promise<{ address: string; questions: string[] }> {
  const questions: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address }) => {
    const { name, end } = readName(message)
    const type = message.readUInt16BE(end) === 28 ? 'aaaa' : 'a'
    questions.push(`${type} ${name}`)
    const saying = say(name, type)
    if (saying !== 'silent') socket.send(reply(message.subarray(0, end + 4), saying, type), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, questions }
}

function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let place = 12
  for (let length = message[place] ?? 0; length > 0; length = message[place] ?? 0) {
    labels.push(message.toString('latin1', place + 1, place + 1 + length))
    place += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: place + 1 }
}

const toName = (name: string) =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.of(0)])

function reply(question: Buffer, saying: Exclude<Saying, 'silent'>, type: 'a' | 'aaaa'): Buffer {
  const records = typeof saying === 'string' ? [] : recordsOf(saying, type)
  const head = Buffer.from(question.subarray(0, 12))
  const code = saying === 'missing' ? 3 : saying === 'broken' ? 2 : 0
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, question.subarray(12), ...records])
}

function recordsOf(saying: Exclude<Saying, NameFailure>, type: 'a' | 'aaaa'): Buffer[] {
  const owner = saying.cname === undefined ? Buffer.of(0xc0, 12) : toName(saying.cname)
  const alias = saying.cname === undefined ? [] : [record(Buffer.of(0xc0, 12), 5, toName(saying.cname))]
  const number = type === 'a' ? 1 : 28
  return [...alias, ...(saying[type] ?? []).map((address) => record(owner, number, toBytes(address)))]
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, head, data])
}

function toBytes(address: string): Buffer {
  if (address.includes('.')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = new SocketAddress({ address, family: 'ipv6' }).address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0')
  const all = [...groups(head), ...zeros, ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
