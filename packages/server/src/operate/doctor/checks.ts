interface Check {
  /** How bad it is when the check fails. `poor` is worth knowing and does not fail the doctor. */
  readonly health: 'poor' | 'bad'
  /** What a failed check means for the operator. */
  readonly meaning: string
  /** What to do about it. */
  readonly remedy: string
}

/** Everything that `malipo doctor` can find; docs/operating/doctor.md is generated from this. */
export const checks = {
  settings: {
    health: 'bad',
    meaning: 'No process starts with these settings.',
    remedy:
      'run malipo config check; docs/reference/config.md describes every setting, malipo secrets generates the keys',
  },
  'incomplete settings': {
    health: 'poor',
    meaning: 'A setting has no effect because another one that it needs is missing.',
    remedy: 'set both, or remove both',
  },
  'unknown settings': {
    health: 'poor',
    meaning: 'A misspelt variable has no effect: the setting that was meant keeps its default.',
    remedy: 'correct the name, or remove the variable',
  },
  'secret files': {
    health: 'poor',
    meaning: 'A program of another user on this machine can read the secret.',
    remedy: 'run chmod o-r on the file, or close its folder to other users',
  },
  'weak keys': {
    health: 'bad',
    meaning: 'An attacker can guess the key, and then forge tokens or read encrypted values.',
    remedy:
      'generate new keys with malipo secrets, new tokens with openssl rand -hex 32, and replace the weak ones as in docs/operating/secret-keys.md',
  },
  'simulator in live': {
    health: 'bad',
    meaning:
      'Live payments end at a simulator or at a server on this machine: no money moves, and merchants see successes.',
    remedy: "set the provider's own URL; MALIPO_SIMULATOR_URL is for the sandbox",
  },
  'provider rates': {
    health: 'poor',
    meaning: 'Malipo sends at its default rate, which may be more than the provider accepts or less than you pay for.',
    remedy: 'set the rate of your contract, also if it equals the default',
  },
  'public URL': {
    health: 'bad',
    meaning: 'Signed callbacks of live providers are rejected, and tokens and sessions may travel without TLS.',
    remedy: 'set MALIPO_PUBLIC_URL to the https URL that merchants and providers call',
  },
  'owner login': {
    health: 'poor',
    meaning: 'A process with these settings has the rights of the owner of all tables within reach.',
    remedy: 'set DATABASE_OWNER_URL for malipo migrate only',
  },
  database: {
    health: 'bad',
    meaning: 'Nothing works without the database.',
    remedy: 'check that it runs, and compare DATABASE_URL and the rights of its login with docs/operating/install.md',
  },
  primary: {
    health: 'bad',
    meaning: 'Processes cannot write there, so every payment is rejected.',
    remedy: 'let DATABASE_URL lead to the primary: see docs/operating/high-availability.md',
  },
  cell: {
    health: 'bad',
    meaning:
      'The database belongs to another cell. No process uses it: its payments would have ids that lead to the wrong cell.',
    remedy: 'compare DATABASE_URL and MALIPO_CELL with those of the other processes',
  },
  pooler: {
    health: 'bad',
    meaning:
      'Between two statements of a process the pooler may change the session, which loses its role and prepared statements.',
    remedy: 'connect directly, or let the pooler keep one session per connection (pool_mode = session)',
  },
  'database TLS': {
    health: 'poor',
    meaning: 'Others on the network can read or change what processes and the database send to each other.',
    remedy: 'add ?sslmode=verify-full&sslrootcert=/path/ca.pem to DATABASE_URL',
  },
  fsync: {
    health: 'bad',
    meaning: 'A crash of the machine loses accepted payments and can destroy the database.',
    remedy: 'alter system set fsync = on, then select pg_reload_conf()',
  },
  full_page_writes: {
    health: 'bad',
    meaning: 'A crash of the machine can leave half-written pages, which destroy the database.',
    remedy: 'alter system set full_page_writes = on, then select pg_reload_conf()',
  },
  'data checksums': {
    health: 'poor',
    meaning: 'A disk that returns wrong data is not noticed, and backups copy the damage.',
    remedy: 'stop PostgreSQL and run pg_checksums --enable; new clusters: initdb -k',
  },
  synchronous_commit: {
    health: 'bad',
    meaning: 'A payment is confirmed to the merchant before it is durable, and a crash loses it.',
    remedy: 'set synchronous_commit to on, for the server, the database and the login',
  },
  'synchronous standby': {
    health: 'poor',
    meaning:
      'The loss of one machine can lose accepted payments; while a required standby is missing, no commit returns.',
    remedy: 'run a synchronous standby: see docs/operating/high-availability.md',
  },
  'logged values': {
    health: 'poor',
    meaning: 'PostgreSQL may write bound values, which are secrets and personal data, to its log.',
    remedy: 'set log_parameter_max_length and log_parameter_max_length_on_error to 0',
  },
  'login rights': {
    health: 'poor',
    meaning: 'A mistake or an intruder in a process could do more than the roles of Malipo allow.',
    remedy:
      'use a login without rights of its own: create role malipo login noinherit, as in docs/operating/install.md',
  },
  connections: {
    health: 'poor',
    meaning: 'Processes wait for connections that the database does not have, and requests get 503.',
    remedy: 'raise max_connections, or lower MALIPO_DATABASE_CONNECTIONS',
  },
  migrations: { health: 'bad', meaning: 'No process of this version is ready.', remedy: 'run malipo migrate' },
  clock: {
    health: 'bad',
    meaning: 'Tokens, deadlines and retries are wrong by this time, and no process is ready.',
    remedy: 'use the same time server on both machines',
  },
  partitions: {
    health: 'bad',
    meaning: 'Soon no payment can be accepted, because its rows have no place.',
    remedy: 'start an api or a worker, which attaches them',
  },
  'secret keys': {
    health: 'bad',
    meaning: 'Values in the database cannot be opened.',
    remedy: 'add the keys to MALIPO_SECRET_KEYS, run malipo secrets reseal, then remove them',
  },
  'live fees': {
    health: 'bad',
    meaning: 'No process with a live provider starts.',
    remedy: 'set them with malipo fees set',
  },
  backups: {
    health: 'bad',
    meaning: 'What happened since the last good backup is lost if the database is.',
    remedy: 'run a backup, and let it record itself: see docs/operating/backup.md',
  },
  NATS: {
    health: 'bad',
    meaning: 'Processes poll for work, which takes longer, and EVENTS is not published.',
    remedy: 'start it, or correct NATS_URL',
  },
  'NATS TLS': {
    health: 'poor',
    meaning: 'Others on the network can read and send events and wakeups.',
    remedy: 'use tls:// in NATS_URL: see docs/operating/high-availability.md',
  },
  'NATS version': {
    health: 'poor',
    meaning: 'Versions before 2.10.27 can lose messages of EVENTS when a server crashes.',
    remedy: 'use NATS 2.10.27 or later',
  },
  JetStream: {
    health: 'bad',
    meaning: "The stream EVENTS cannot be stored, so the operator's other systems get no events.",
    remedy: 'turn on jetstream with a store_dir, as in deploy/nats/nats.conf, and give the login of Malipo its rights',
  },
  'EVENTS storage': {
    health: 'bad',
    meaning: 'A restart of NATS loses the events that other systems have not read.',
    remedy: 'delete the stream with nats stream rm EVENTS; the worker creates it again with file storage',
  },
  'EVENTS replicas': {
    health: 'poor',
    meaning: 'The loss of one NATS server loses the events that other systems have not read.',
    remedy: 'set MALIPO_NATS_REPLICAS to 3 on a cluster of three, and restart the workers',
  },
  port: {
    health: 'bad',
    meaning: 'A process cannot listen there.',
    remedy: 'change MALIPO_PORT or MALIPO_HOST',
  },
  simulator: {
    health: 'bad',
    meaning: 'No sandbox payment is processed.',
    remedy: 'start it, or set MALIPO_SIMULATOR_URL to empty',
  },
  disk: {
    health: 'bad',
    meaning: 'The worker cannot write seals.',
    remedy: 'free up at least 1 GiB, and create the folder of MALIPO_SEALS_PATH',
  },
} as const satisfies Record<string, Check>

export type CheckName = keyof typeof checks

/** A check and its result. */
export interface Finding {
  readonly what: string
  readonly health: 'ok' | 'poor' | 'bad'
  readonly message: string
  /** What a failed check means for the operator. */
  readonly meaning?: string
  /** What to do about it; empty when nothing is needed. */
  readonly remedy: string
}

export const ok = (what: CheckName, message: string): Finding => ({ what, health: 'ok', message, remedy: '' })

/** A failed check. `over` is for what depends on the case. */
export const failed = (what: CheckName, message: string, over: Partial<Check> = {}): Finding => ({
  what,
  message,
  ...checks[what],
  ...over,
})

/** Why a server could not be reached. */
export const reasonOf = ({ message, code }: Error & { code?: string }): string => message || (code ?? '')
