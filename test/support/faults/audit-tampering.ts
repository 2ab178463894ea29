import type { Random } from '../cluster/random.ts'
import type { Row, Tampering } from './tampering.ts'

export const auditKeys = {
  audit_entries: ['id'],
  audit_links: ['chain', 'number'],
  ledger_seals: ['number'],
} as const

type AuditRows = Readonly<Record<keyof typeof auditKeys, readonly Row[]>>

type Make = (random: Random, rows: AuditRows) => Tampering

/** An id that a forger makes, in the month of another one. */
const idLike = (id: string) => `(left('${id}', 24) || substr(md5(random()::text), 1, 12))::uuid`

const text = (column: string) => [`coalesce(${column}, '') || '!'`, `reverse(coalesce(${column}, 'ab'))`, `''`]
const bytes = (column: string) => [`set_byte(${column}, 7, (get_byte(${column}, 7) + 1) % 256)`, `'\\x'`]

/** Every column of an entry, with the ways to change it. */
const changes: Readonly<Record<string, readonly string[]>> = {
  id: ['gen_random_uuid()', `(left(id::text, 35) || '0')::uuid`, `(left(id::text, 35) || '1')::uuid`],
  at: [`at + interval '1 microsecond'`, `at - interval '1 day'`, `at + interval '40 days'`],
  actor: text('actor'),
  action: text('action'),
  merchant_id: ['gen_random_uuid()', 'null'],
  env: [`case env when 'live' then 'sandbox' else 'live' end`, 'null'],
  subject: text('subject'),
  detail: [`detail || '{"more": 1}'`, `'{}'`, `jsonb_set(detail, '{count}', '1000000')`],
  reason: [...text('reason'), 'null'],
  actor_kind: [`case actor_kind when 'person' then 'system' else 'person' end`],
  actor_name: text('actor_name'),
  result: [`case result when 'done' then 'refused' else 'done' end`],
  request_id: [...text('request_id'), 'null'],
  address: [...text('address'), 'null'],
  user_agent: [...text('user_agent'), 'null'],
  role: [...text('role'), 'null'],
  strength: [...text('strength'), 'null'],
  chain: ['chain % 8 + 1', '0', '99', '-1'],
  number: ['number + 1', 'number - 1', '-number', '0', '1000000'],
  previous_hash: bytes('previous_hash'),
  hash: bytes('hash'),
}

/** What an entry reports, without its place and hashes. */
const reported = Object.keys(changes).filter((name) => !['chain', 'number', 'previous_hash', 'hash'].includes(name))

/** One row in four is the newest of its chain. */
function pickRow(random: Random, { audit_entries: entries }: AuditRows): Row {
  const some = random.pick(entries)
  if (random() > 0.25) return some
  const chain = entries.filter((row) => row['chain'] === some['chain'])
  return chain.reduce((newest, row) => (Number(row['number']) > Number(newest['number']) ? row : newest))
}

const isRow = (row: Row) => `id = '${row['id']}'`

function changeOf(random: Random, columns: readonly string[]): { column: string; set: string } {
  const column = random.pick(columns)
  return { column, set: `${column} = ${random.pick(changes[column] ?? [])}` }
}

export const editedColumns = Object.keys(changes)

export const editEntry: Make = (random, rows) => editColumn(random, rows, editedColumns)

export function editColumn(random: Random, rows: AuditRows, columns: readonly string[]): Tampering {
  const { column, set } = changeOf(random, columns)
  return {
    kind: `edit of ${column}`,
    statements: [`update audit_entries set ${set} where ${isRow(pickRow(random, rows))}`],
  }
}

/** Deletes one row, several, or the newest with a head that hides it. */
export const removeEntries: Make = (random, rows) => {
  const row = pickRow(random, rows)
  const fromHere = `chain = ${row['chain']} and number >= ${row['number']}`
  const ways: Readonly<Record<string, readonly string[]>> = {
    'deletion of one': [`delete from audit_entries where ${isRow(row)}`],
    'deletion of a month': [
      `delete from audit_entries where tableoid = (select tableoid from audit_entries where ${isRow(row)})`,
    ],
    'deletion of all': ['delete from audit_entries', 'delete from audit_links'],
    'deletion of a chain': [
      `delete from audit_entries where chain = ${row['chain']}`,
      `delete from audit_links where chain = ${row['chain']}`,
    ],
    'deletion of the newest, head moved back': [
      `delete from audit_links where ${fromHere}`,
      `delete from audit_entries where ${fromHere}`,
    ],
    'deletion of one, later ones renumbered and hashed again': [
      `delete from audit_entries where ${isRow(row)}`,
      `update audit_entries set number = number - 1 where chain = ${row['chain']} and number > ${row['number']}`,
      rehashFrom(row),
    ],
  }
  const kind = random.pick(Object.keys(ways))
  return { kind, statements: ways[kind] ?? [] }
}

/** Inserts a copy with another id, at a place given by `over`. */
function copyOf(row: Row, over: Readonly<Record<string, string>>): string {
  const values = editedColumns.map((column) => over[column] ?? (column === 'id' ? idLike(row['id'] ?? '') : column))
  return `insert into audit_entries (${editedColumns.join()}) select ${values.join()} from saved.audit_entries where ${isRow(row)}`
}

/** Inserts a forged row, at best with hash and head as if the service had appended it. */
export const insertEntry: Make = (random, rows) => {
  const row = pickRow(random, rows)
  const head = `(select number from audit_heads() where chain = ${row['chain']})`
  const before = `(select hash from audit_heads() where chain = ${row['chain']})`
  const forged = { actor: `'someone else'`, number: `${head} + 1`, previous_hash: before }
  const hashNewest = `update audit_entries e set hash = sha256(convert_to(canonical_audit(e), 'UTF8'))
    where chain = ${row['chain']} and number = ${head} + 1`
  const moveHead = `insert into audit_links select chain, number, hash, 0 from audit_entries
    where chain = ${row['chain']} and number = ${head} + 1`
  const ways: Readonly<Record<string, readonly string[]>> = {
    'insertion of a copy': [copyOf(row, {})],
    'insertion at another number': [copyOf(row, { number: String(1 + random.below(400)) })],
    'insertion in an unused chain': [copyOf(row, { chain: '9', number: '1' })],
    'insertion after the newest, head left': [copyOf(row, forged), hashNewest],
    'insertion after the newest, backdated, head moved': [
      copyOf(row, { ...forged, at: `now() - interval '1 day'` }),
      hashNewest,
      moveHead,
    ],
    'insertion in the middle, later ones renumbered and hashed again': [
      `update audit_entries set number = number + 1 where chain = ${row['chain']} and number >= ${row['number']}`,
      copyOf(row, { actor: `'someone else'` }),
      rehashFrom(row),
    ],
  }
  const kind = random.pick(Object.keys(ways))
  return { kind, statements: ways[kind] ?? [] }
}

/** Two rows change places: by number, by id, or by what they report. */
export const reorderEntries: Make = (random, rows) => {
  const left = pickRow(random, rows)
  const inChain = rows.audit_entries.filter((row) => row['chain'] === left['chain'] && row['id'] !== left['id'])
  const right = random.pick(random() < 0.7 && inChain.length > 0 ? inChain : rows.audit_entries)
  const [a, b] = [isRow(left), isRow(right)]
  const swapped = (names: readonly string[]) => {
    const set = names.map((name) => `${name} = o.${name}`).join()
    const from = (target: Row, source: Row) =>
      `update audit_entries e set ${set} from saved.audit_entries o where e.${isRow(target)} and o.${isRow(source)}`
    return [from(left, right), from(right, left)]
  }
  const aside = `'00000000-0000-7000-8000-000000000001'`
  const ways: Readonly<Record<string, readonly string[]>> = {
    'swap of places': swapped(['chain', 'number']),
    'swap of places and links': swapped(['chain', 'number', 'previous_hash']),
    'swap of places, links and hashes': swapped(['chain', 'number', 'previous_hash', 'hash']),
    'swap of contents': swapped(reported.filter((name) => name !== 'id')),
    'swap of times': swapped(['at']),
    'swap of ids': [
      `update audit_entries set id = ${aside} where ${a}`,
      `update audit_entries set id = '${left['id']}' where ${b}`,
      `update audit_entries set id = '${right['id']}' where id = ${aside}`,
    ],
    'renumbering of a chain': [`update audit_entries set number = number + 1 where chain = ${left['chain']}`],
    'swap of places, hashed again': [...swapped(['chain', 'number']), rehashFrom(left), rehashFrom(right)],
  }
  const kind = random.pick(Object.keys(ways))
  return { kind, statements: ways[kind] ?? [] }
}

/** An edit whose hashes are made again, as far as a superuser can: only seals, or the seal file, can show it. */
export const rehashEntries: Make = (random, rows) => {
  const row = pickRow(random, rows)
  const { column, set } = changeOf(
    random,
    reported.filter((name) => name !== 'id'),
  )
  const edit = `update audit_entries set ${set} where ${isRow(row)}`
  const ownHash = `update audit_entries e set hash = sha256(convert_to(canonical_audit(e), 'UTF8')) where ${isRow(row)}`
  const ways: Readonly<Record<string, readonly string[]>> = {
    'one hash': [edit, ownHash],
    'all later hashes and the head': [edit, rehashFrom(row)],
    'all later hashes, the head and all seals': [edit, rehashFrom(row), resealAll],
  }
  const kind = random.pick(Object.keys(ways))
  return { kind: `edit of ${column}, then ${kind} made again`, statements: ways[kind] ?? [] }
}

export const editLink: Make = (random, rows) => {
  const { chain, number } = random.pick(rows.audit_links)
  const isLink = `chain = ${chain} and number = ${number}`
  const isHead = `chain = ${chain} and number = (select number from audit_heads() where chain = ${chain})`
  const where = random() < 0.5 ? isLink : isHead
  const ways: Readonly<Record<string, string>> = {
    'deletion of a link': `delete from audit_links where ${where}`,
    'edit of a link’s number': `update audit_links set number = number + 1000 where ${where}`,
    'edit of a link’s chain': `update audit_links set chain = 9 where ${where}`,
    'edit of a link’s hash': `update audit_links set hash = ${random.pick(bytes('hash'))} where ${where}`,
  }
  const kind = random.pick(Object.keys(ways))
  return { kind, statements: [ways[kind] ?? ''] }
}

/** Links and hashes a chain again from a row on, and moves its head. */
function rehashFrom(row: Row): string {
  return `do $$
  declare
    e audit_entries;
    before bytea;
  begin
    select hash into before from audit_entries where chain = ${row['chain']} and number = ${row['number']} - 1;
    before := coalesce(before, decode(repeat('00', 32), 'hex'));
    for e in select * from audit_entries where chain = ${row['chain']} and number >= ${row['number']} order by number loop
      e.previous_hash := before;
      e.hash := sha256(convert_to(canonical_audit(e), 'UTF8'));
      update audit_entries set previous_hash = e.previous_hash, hash = e.hash where id = e.id;
      before := e.hash;
    end loop;
    delete from audit_links where chain = ${row['chain']} and number >= ${row['number']};
    insert into audit_links select chain, number, a.hash, coalesce(l.batch, 0)
      from audit_entries a left join saved.audit_links l using (chain, number)
      where chain = ${row['chain']} and number >= ${row['number']};
  end $$`
}

/** Makes every seal in the database again, over the chains as they are now. */
const resealAll = `do $$
  declare
    s ledger_seals;
    before bytea := decode(repeat('00', 32), 'hex');
  begin
    for s in select * from ledger_seals order by number loop
      select jsonb_agg(case when head->>'writer' like 'audit/%' then jsonb_set(head, '{hash}', (
          select to_jsonb(encode(a.hash, 'hex')) from audit_entries a
          where 'audit/' || a.chain = head->>'writer' and a.number::text = head->>'number'
        )) else head end order by place)
      into s.heads
      from jsonb_array_elements(s.heads) with ordinality as h(head, place);
      s.previous_hash := before;
      s.hash := sha256(convert_to(concat_ws('|', s.number, s.at, s.settled_below, (
        select string_agg(concat_ws(' ', head->>'writer', head->>'number', head->>'hash'), ',' order by place)
        from jsonb_array_elements(s.heads) with ordinality as h(head, place)
      ), encode(s.previous_hash, 'hex')), 'UTF8'));
      update ledger_seals set heads = s.heads, previous_hash = s.previous_hash, hash = s.hash where number = s.number;
      before := s.hash;
    end loop;
  end $$`
