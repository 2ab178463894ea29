/** Bugs to plant in a copy of the server, to prove that its tests find them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const server = 'packages/server'

export interface Edit {
  /** Below the server's src. */
  readonly path: string
  readonly text: string
  readonly instead: string
}

interface PlantedBug {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The test that must fail, and its message: a bug that only breaks the program proves nothing. */
  readonly caughtBy: string
  readonly complaint: RegExp
}

/** The tests that must find the bugs, and must pass without them. */
export const catchers = {
  file: 'ledger/books.model.test.ts',
  anyTraffic: 'the books hold exactly what one or two writers reported, to the last unit',
  sameHold: 'when two writers end the same hold at once, exactly one succeeds',
  sameWallets: 'two writers that need the same wallets never deadlock',
} as const

const books = 'ledger/books.ts'
const lockStatement = { path: 'ledger/accounts.ts', text: '    order by id\n    for no key update`' }
const disagrees = /LedgerDisagreement: |AssertionError \[ERR_ASSERTION\]: /

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'no lock: wallets are read without being locked',
    edits: [{ ...lockStatement, instead: '    order by id`' }],
    caughtBy: catchers.anyTraffic,
    complaint: disagrees,
  },
  {
    name: 'float rounding: counters are added up in whole units of money, as floats',
    edits: [
      {
        path: books,
        text: '  counters[counter] += amount\n',
        instead:
          '  counters[counter] = BigInt(Math.trunc((Number(counters[counter]) / 100 + Number(amount) / 100) * 100))\n',
      },
    ],
    caughtBy: catchers.anyTraffic,
    complaint: disagrees,
  },
  {
    name: 'double post: what has ended is read before the locks, and an ending that is there is not inserted again',
    edits: [
      { path: books, text: '  const ended = await readPhase(tx, endings, 1)\n', instead: '' },
      {
        path: books,
        text: '  const holds = await readPhase(tx, endings, 0)\n',
        instead: '  const [holds, ended] = [await readPhase(tx, endings, 0), await readPhase(tx, endings, 1)]\n',
      },
      {
        path: books,
        text: 'entry_at, balance, position)\n    ), linked as (',
        instead: `entry_at, balance, position)
      where t.phase = 0
        or not exists (
          select from transfers e
          where (e.transaction_id, e.number, e.phase) = (t.transaction_id, t.number, 1)
        )
    ), linked as (`,
      },
    ],
    caughtBy: catchers.sameHold,
    complaint: /not ended by exactly one/,
  },
  {
    name: 'link half applied: a refused group keeps what came before the refusal',
    edits: [
      { path: books, text: '  if (refusal !== undefined) for (const step of undo.reverse()) step()\n', instead: '' },
    ],
    caughtBy: catchers.anyTraffic,
    complaint: disagrees,
  },
  {
    name: 'delta lost: folding goes past batches that are still open',
    edits: [
      {
        path: 'ledger/deltas.ts',
        text: 'settled_below() as settled_below',
        instead: 'next_batch() as settled_below',
      },
    ],
    caughtBy: catchers.anyTraffic,
    complaint: /LedgerDisagreement: platform account .* its transfers add up to|AssertionError.*: (debits|credits)_/,
  },
  {
    name: 'chain skipped: a batch is linked to an older one than the last',
    edits: [
      {
        path: 'ledger/chain.ts',
        text: '      head = { number, hash }\n',
        instead: '      head = { number, hash: head.hash }\n',
      },
    ],
    caughtBy: catchers.anyTraffic,
    complaint: /LedgerDisagreement: the chain of a writer is broken/,
  },
  {
    name: 'unsorted locks: wallets are locked in any order',
    edits: [{ ...lockStatement, instead: '    order by random()\n    for no key update`' }],
    caughtBy: catchers.sameWallets,
    complaint: /there were deadlocks/,
  },
  {
    name: 're-run after committed: a batch whose COMMIT got lost is run again without asking what became of it',
    edits: [
      {
        path: 'platform/batch.ts',
        text: 'return resolveLost({ ...run, startedAt }, entries, error as CommitUnknown<Decided<Result>>)',
        instead: `return { kind: 'again' }`,
      },
    ],
    caughtBy: catchers.anyTraffic,
    complaint: /was answered \w+, not applied/,
  },
]

/** The server's sources in a separate folder, with these changes, and any other files beside them. */
export function copyServer(
  edits: readonly Edit[],
  beside: readonly string[] = [],
): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-planted-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, server), { recursive: true })
  const parts = ['src', 'migrations', 'package.json'].map((name) => join(server, name))
  for (const path of ['package.json', 'tsconfig.json', ...parts, ...beside])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  try {
    for (const edit of edits) make(folder, edit)
  } catch (error) {
    remove()
    throw error
  }
  return { folder, remove }
}

/** The text must occur exactly once: when the code moves, the bug must be planted again. */
function make(folder: string, { path, text, instead }: Edit): void {
  const file = join(folder, server, 'src', path)
  const parts = readFileSync(file, 'utf8').split(text)
  assert.equal(parts.length, 2, `${path} does not have this exactly once: ${text}`)
  writeFileSync(file, parts.join(instead))
}

/** Runs one test of a copy, or its whole file, beside the servers of this run and with fewer operations than usual. */
export async function runCatchers(folder: string, name = '.'): Promise<{ code: number | null; output: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // With it, the copy would report to the runner that runs us.
  const args = ['--test-reporter=spec', `--test-name-pattern=${name}`, join(server, 'src', catchers.file)]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, MALIPO_MODEL_OPERATIONS: '2000' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 240_000,
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => output.push(part))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: output.join('') }
}
