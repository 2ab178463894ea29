import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** A text that must not be found, in one of its possible forms. */
interface Needle {
  readonly bytes: Buffer
  /** Identifies the match without repeating it in readable form. */
  readonly name: string
}

const blockMask = 0xff_ff

/** Finds any of many texts in bytes, in one pass. */
export interface Search {
  /** The names of the texts found. */
  find(bytes: Buffer): string[]
}

/**
 * Wu and Manber's algorithm: a table gives, by the last two bytes of a window, how far it may shift; only where it may not shift
 * are the needles with that ending compared.
 */
export function createSearch(needles: readonly Needle[]): Search {
  const width = Math.min(...needles.map(({ bytes }) => bytes.length))
  const shifts = new Uint8Array(blockMask + 1).fill(Math.min(width - 1, 255))
  const endings = new Map<number, Needle[]>()
  for (const needle of needles)
    for (let end = 2; end <= width; end += 1) {
      const block = needle.bytes.readUInt16BE(end - 2)
      shifts[block] = Math.min(shifts[block] ?? 0, width - end)
      if (end === width) endings.set(block, [...(endings.get(block) ?? []), needle])
    }
  const find = (bytes: Buffer): string[] => {
    const found = new Set<string>()
    const last = bytes.length - width
    for (let at = 0; at <= last; ) {
      const block = bytes.readUInt16BE(at + width - 2)
      const shift = shifts[block] ?? 0
      if (shift === 0) for (const name of namesAt(bytes, at, endings.get(block))) found.add(name)
      at += Math.max(shift, 1)
    }
    return [...found]
  }
  return { find }
}

function namesAt(bytes: Buffer, at: number, candidates: readonly Needle[] = []): string[] {
  const isThere = ({ bytes: wanted }: Needle) => bytes.subarray(at, at + wanted.length).equals(wanted)
  return candidates.filter(isThere).map(({ name }) => name)
}

/** Every form a number could be written in: plain, in groups, encoded for a URL or JSON, in other bases. */
export function formsOf(digits: string): Needle[] {
  const groups = digits.match(/.{1,4}/g) ?? []
  const escaped = [...digits].map((digit) => `\\u003${digit}`).join('')
  const inBase64 = [0, 1, 2].map((offset) => {
    // With other bytes before and after it, the characters at the edges encode those too.
    const text = Buffer.from(`${'\0'.repeat(offset)}${digits}`).toString('base64url')
    return text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + digits.length) * 8) / 6))
  })
  const texts = {
    plain: [digits],
    grouped: [' ', '-', '%20', '+'].map((gap) => groups.join(gap)),
    escaped: [escaped],
    'in base64': inBase64.filter(isNotifying),
    'in hex': [Buffer.from(digits).toString('hex')],
  }
  const needles = Object.entries(texts).flatMap(([form, written]) =>
    written.map((text) => ({ bytes: Buffer.from(text), name: `${digits} ${form}` })),
  )
  return [...needles, { bytes: Buffer.from(digits, 'utf16le'), name: `${digits} in UTF-16` }]
}

/** A row of zeros would match anywhere. */
const isNotifying = (text: string) => new Set(text).size > 6

/** Matches in the files below a folder, each with its file. A file that disappears meanwhile is skipped. */
export function findInFiles(folder: string, { find }: Search): { found: string[]; files: number; bytes: number } {
  const found: string[] = []
  let [files, bytes] = [0, 0]
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const content = readIfThere(path)
    files += 1
    bytes += content.length
    found.push(...find(content).map((name) => `${name} in ${relative(folder, path)}`))
  }
  return { found, files, bytes }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
