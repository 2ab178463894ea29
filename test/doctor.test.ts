import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, type TestContext, test } from 'node:test'
import type { CheckName, Finding } from '../packages/server/src/operate/doctor/checks.ts'
import { examine } from '../packages/server/src/operate/doctor/examine.ts'
import { type SoundInstallation, startSoundInstallation } from './support/faults/sound-installation.ts'
import { startTransactionPooler } from './support/faults/transaction-pooler.ts'

/** One installation for the file. Each test breaks it in one way and repairs it again. */
let sound: SoundInstallation
/** Checks of the machine's own NATS that fail in every test: its version may be old. */
let always: string[]
const ends: (() => unknown)[] = []
before(async () => {
  sound = await startSoundInstallation({ after: (end: () => unknown) => void ends.push(end) })
  const findings = await examine(sound.variables)
  always = findings.filter(({ what, health }) => what === 'NATS version' && health !== 'ok').map(({ what }) => what)
})
after(async () => {
  for (const end of ends.toReversed()) await end()
})

type Changes = Readonly<Record<string, string | undefined>>

/** The failed checks of the installation with these variables changed, without those of this machine's own NATS. */
async function failures(changes: Changes = {}): Promise<Finding[]> {
  const findings = await examine({ ...sound.variables, ...changes })
  return findings.filter(({ what, health }) => health !== 'ok' && !always.includes(what))
}

/** The doctor names exactly this check, with this severity, and says what it means and what to do. */
async function assertNamed(what: CheckName, health: Finding['health'], changes: Changes = {}): Promise<void> {
  const found = await failures(changes)
  assert.deepEqual(
    found.map((each) => [each.what, each.health]),
    [[what, health]],
    JSON.stringify(found),
  )
  for (const { message, meaning = '', remedy } of found) {
    for (const text of [message, meaning, remedy]) assert.notEqual(text, '')
    for (const secret of Object.values(sound.variables).filter((value) => value.length > 40 && !value.includes('//')))
      assert.ok(!`${message}${meaning}${remedy}`.includes(secret))
  }
}

test('doctor names nothing on a right installation', async () => {
  assert.deepEqual(await failures(), [])
})

/** Settings of PostgreSQL that a reload changes: the wrong value, and the right one. */
const reloaded: readonly [CheckName, Finding['health'], string, string, string][] = [
  ['fsync', 'bad', 'fsync', 'off', 'on'],
  ['full_page_writes', 'bad', 'full_page_writes', 'off', 'on'],
  ['synchronous_commit', 'bad', 'synchronous_commit', 'off', 'on'],
  ['synchronous_commit', 'bad', 'synchronous_commit', 'local', 'on'],
  ['synchronous_commit', 'poor', 'synchronous_commit', 'remote_write', 'on'],
  ['synchronous standby', 'poor', 'synchronous_standby_names', '', '*'],
  ['logged values', 'poor', 'log_parameter_max_length', '-1', '0'],
]

for (const [what, health, name, wrong, right] of reloaded)
  test(`doctor names ${what} when ${name} is ${wrong || 'empty'}`, async () => {
    await sound.set({ [name]: wrong })
    try {
      await assertNamed(what, health)
    } finally {
      await sound.set({ [name]: right })
    }
  })

test('doctor names the synchronous standby when none is connected', async () => {
  await sound.follow(false)
  try {
    await assertNamed('synchronous standby', 'bad')
  } finally {
    await sound.follow(true)
  }
})

test('doctor names the primary when the URL leads to a standby', async () => {
  await assertNamed('primary', 'bad', { DATABASE_URL: sound.standbyUrl })
})

test('doctor names a pooler that changes sessions', async (t) => {
  const pooler = await startTransactionPooler(sound.variables.DATABASE_URL)
  t.after(() => pooler.close())

  await assertNamed('pooler', 'bad', { DATABASE_URL: pooler.url })
})

test('doctor names a pooler whose only session another client uses', async (t) => {
  const pooler = await startTransactionPooler(sound.variables.DATABASE_URL, { sessionsMax: 1 })
  t.after(() => pooler.close())

  await assertNamed('pooler', 'bad', { DATABASE_URL: pooler.url })
})

/** Rights of the login: how it gets them and loses them. */
const rights: readonly [CheckName, Finding['health'], string, string][] = [
  ['login rights', 'poor', 'alter role malipo inherit', 'alter role malipo noinherit'],
  ['login rights', 'poor', 'alter role malipo createrole', 'alter role malipo nocreaterole'],
  ['login rights', 'poor', 'grant malipo_owner to malipo', 'revoke malipo_owner from malipo'],
  [
    'primary',
    'bad',
    'alter role malipo set default_transaction_read_only = on',
    'alter role malipo reset default_transaction_read_only',
  ],
]

for (const [what, health, wrong, right] of rights)
  test(`doctor names ${what} after: ${wrong}`, async () => {
    await sound.ask(wrong)
    try {
      await assertNamed(what, health)
    } finally {
      await sound.ask(right)
    }
  })

const dropHours = `
  do $$
  declare
    name text;
  begin
    for name in
      select relname from pg_inherits join pg_class on oid = inhrelid
      where inhparent = 'public.timers'::regclass and relname > hour_of(record_time() + interval '1 hour')
    loop
      execute format('drop table timer_hours.%I', name);
    end loop;
  end $$`

test('doctor names partitions when no hours are ahead', async () => {
  await assertNamed('partitions', 'bad', { DATABASE_URL: await sound.changedCopy(dropHours) })
})

test('doctor does not say that the database is silent when a check of its contents fails', async () => {
  const url = await sound.changedCopy('alter table command_results rename to other_results')

  const [found, ...rest] = await failures({ DATABASE_URL: url })

  assert.deepEqual([found?.what, found?.health, rest], ['database', 'bad', []])
  assert.match(found?.message ?? '', /^responds at .*, and a check of its contents failed: relation "command_results"/)
})

const recordBackup = `insert into command_results (name, is_good) values ('backup', true)`

/** What a database may hold that it should not, and how that is repaired. */
const contents: readonly [CheckName, string, string, string][] = [
  ['backups', 'none is recorded', 'delete from command_results', recordBackup],
  [
    'backups',
    'the last is old',
    `update command_results set ended_at = now() - interval '27 hours'`,
    'update command_results set ended_at = now()',
  ],
  [
    'backups',
    'the last failed',
    'update command_results set is_good = false',
    'update command_results set is_good = true',
  ],
  [
    'migrations',
    'one is not applied',
    `update schema_migrations set name = 'x' || name where name like '0028%'`,
    `update schema_migrations set name = substr(name, 2) where name like 'x%'`,
  ],
  [
    'secret keys',
    'a key in use is not configured',
    `insert into secret_keys (id) values ('lost')`,
    `delete from secret_keys where id = 'lost'`,
  ],
]

for (const [what, when, wrong, right] of contents)
  test(`doctor names ${what} when ${when}`, async () => {
    await sound.ask(wrong)
    try {
      await assertNamed(what, 'bad')
    } finally {
      await sound.ask(right)
    }
  })

test('doctor names the clock when this machine is a minute ahead', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
  t.after(() => mock.timers.reset())

  await assertNamed('clock', 'bad')
})

const plain = Buffer.from('a-password-that-someone-made-up!').toString('base64url')

/** Settings that are valid and wrong. */
const wrongSettings: readonly [CheckName, Finding['health'], string, Changes][] = [
  ['settings', 'bad', 'one is invalid', { MALIPO_CELL: 'x' }],
  ['settings', 'bad', 'development is on beside a live provider', { MALIPO_DEVELOPMENT: 'on' }],
  ['unknown settings', 'poor', 'a variable is misspelt', { MALIPO_PROT: '8080' }],
  ['incomplete settings', 'poor', 'an issuer has no client', { MALIPO_OIDC_ISSUER: 'https://login.example.com' }],
  ['weak keys', 'bad', 'a key is text', { MALIPO_TOKEN_KEYS: `a:${plain}` }],
  ['weak keys', 'bad', 'a key repeats a byte', { MALIPO_TOKEN_KEYS: `a:${Buffer.alloc(32, 7).toString('base64url')}` }],
  ['weak keys', 'bad', 'a token repeats a character', { MALIPO_METRICS_TOKEN: 'x'.repeat(32) }],
  ['simulator in live', 'bad', 'a live provider is on this machine', { MALIPO_PAWAPAY_URL: 'http://127.0.0.1:4010' }],
  ['provider rates', 'poor', 'the rate is a default', { MALIPO_PAWAPAY_REQUESTS_PER_SECOND: undefined }],
  ['public URL', 'bad', 'it has no TLS', { MALIPO_PUBLIC_URL: 'http://pay.example.com' }],
  [
    'owner login',
    'poor',
    'it is in the environment',
    { DATABASE_OWNER_URL: 'postgres://malipo_admin@127.0.0.1/malipo' },
  ],
  ['connections', 'poor', 'a process needs more than the server has', { MALIPO_DATABASE_CONNECTIONS: '1000' }],
  ['NATS', 'bad', 'it does not respond', { NATS_URL: 'nats://127.0.0.1:9' }],
  ['EVENTS replicas', 'poor', 'one of three servers has it', { NATS_URL: 'three' }],
]

for (const [what, health, when, changes] of wrongSettings)
  test(`doctor names ${what} when ${when}`, async () => {
    const natsUrl = changes['NATS_URL'] === 'three' ? Array(3).fill(sound.variables.NATS_URL).join() : undefined
    await assertNamed(what, health, { ...changes, ...(natsUrl !== undefined && { NATS_URL: natsUrl }) })
  })

test('doctor names weak keys when a token key is also a secret key', async () => {
  const same = sound.variables.MALIPO_SECRET_KEYS.split(':').at(-1)

  await assertNamed('weak keys', 'bad', { MALIPO_TOKEN_KEYS: `a:${same}` })
})

test('doctor names a secret file that every user can read, and accepts it in a closed folder', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'token')
  writeFileSync(path, sound.variables.MALIPO_METRICS_TOKEN, { mode: 0o644 })
  const changes = { MALIPO_METRICS_TOKEN: undefined, MALIPO_METRICS_TOKEN_FILE: path }

  assert.deepEqual(await failures(changes), [])
  chmodSync(folder, 0o755)
  await assertNamed('secret files', 'poor', changes)
})

test('doctor names the storage of EVENTS when the stream is in memory', async () => {
  await sound.storeStream('memory')
  try {
    await assertNamed('EVENTS storage', 'bad')
  } finally {
    await sound.dropStream()
  }
})

test('doctor names the copies of EVENTS when the stream has fewer than are set', async () => {
  await sound.storeStream('file')
  try {
    assert.deepEqual(await failures(), [])
    await assertNamed('EVENTS replicas', 'poor', { MALIPO_NATS_REPLICAS: '3' })
  } finally {
    await sound.dropStream()
  }
})

test('doctor names JetStream when NATS has none', async () => {
  await assertNamed('JetStream', 'bad', { NATS_URL: sound.plainNatsUrl })
})

/** Without a network card there is no address but loopback, where TLS is not needed. */
function remoteOf(t: TestContext) {
  if (!sound.remote) t.skip('this machine has no address but loopback')
  return sound.remote
}

test('doctor names TLS to the database when the server is not on loopback', async (t) => {
  const remote = remoteOf(t)
  if (remote) await assertNamed('database TLS', 'poor', { DATABASE_URL: remote.databaseUrl })
})

test('doctor names TLS to NATS when the server is not on loopback', async (t) => {
  const remote = remoteOf(t)
  if (remote) await assertNamed('NATS TLS', 'poor', { NATS_URL: remote.natsUrl })
})

test('doctor accepts verified TLS to the database, and names a certificate that is not verified', async (t) => {
  const { certificate } = await sound.offerTls()
  const { DATABASE_URL: url } = sound.variables

  const found = await examine({
    ...sound.variables,
    DATABASE_URL: `${url}?sslmode=verify-full&sslrootcert=${certificate}`,
  })

  assert.equal(found.find(({ what }) => what === 'database TLS')?.message, 'encrypted')
  const unverified = ['sslmode=no-verify', 'ssl=no-verify', 'uselibpqcompat=true&sslmode=require']
  for (const mode of unverified) await assertNamed('database TLS', 'poor', { DATABASE_URL: `${url}?${mode}` })
  process.env['PGSSLMODE'] = 'no-verify'
  t.after(() => delete process.env['PGSSLMODE'])
  await assertNamed('database TLS', 'poor')
})

test('doctor names data checksums when the cluster has none', async () => {
  const url = await sound.withoutChecksums()

  await assertNamed('data checksums', 'poor', { DATABASE_URL: url })
})
