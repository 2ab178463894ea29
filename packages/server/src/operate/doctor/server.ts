import type { Config } from '../../config.ts'
import type { ServerFacts, ServerReading } from '../../platform/server-facts.ts'
import { type Finding, failed, ok } from './checks.ts'

const versionMin = 150_000

/** What the server's settings and the way to it mean for the money. */
export function serverFindings({ facts, isVerified }: ServerReading, config: Config, where: string): Finding[] {
  return [
    facts.version_number >= versionMin
      ? ok('database', `PostgreSQL ${facts.version} responds at ${where}`)
      : failed('database', `PostgreSQL ${facts.version} is too old`, { remedy: 'use PostgreSQL 15 or later' }),
    encryption(facts, isVerified),
    isOn('fsync', facts.fsync),
    isOn('full_page_writes', facts.full_page_writes),
    isOn('data checksums', facts.data_checksums),
    commits(facts),
    standby(facts),
    facts.values_logged
      ? failed('logged values', 'log_parameter_max_length or log_parameter_max_length_on_error is not 0')
      : ok('logged values', 'off'),
    rights(facts),
    connections(facts, config),
  ]
}

const isOn = (what: 'fsync' | 'full_page_writes' | 'data checksums', value: string) =>
  value === 'on' ? ok(what, 'on') : failed(what, `${what === 'data checksums' ? 'they are' : 'it is'} ${value}`)

function encryption({ is_encrypted, is_local }: ServerFacts, isVerified: boolean): Finding {
  const what = 'database TLS'
  if (is_encrypted)
    return isVerified ? ok(what, 'encrypted') : failed(what, 'the certificate of the server is not verified')
  if (is_local) return ok(what, 'not needed: the server is on this machine')
  return failed(what, 'the connection is not encrypted')
}

function commits({ synchronous_commit: mode }: ServerFacts): Finding {
  const what = 'synchronous_commit'
  if (mode === 'on' || mode === 'remote_apply') return ok(what, mode)
  if (mode === 'off') return failed(what, 'it is off')
  const meaning =
    mode === 'local'
      ? 'A commit does not wait for the standby, so the loss of the primary loses accepted payments.'
      : 'A commit does not wait for the disk of the standby, so the loss of both machines loses accepted payments.'
  return failed(what, `it is ${mode}`, { health: mode === 'local' ? 'bad' : 'poor', meaning })
}

function standby({ synchronous_standby_names: names, standbys }: ServerFacts): Finding {
  const what = 'synchronous standby'
  if (names === '') return failed(what, 'synchronous_standby_names is empty')
  if (standbys === 0)
    return failed(what, `synchronous_standby_names is ${names}, and none is connected`, { health: 'bad' })
  return ok(what, `${names}, ${standbys} connected`)
}

function rights({ is_superuser, may_create_roles, is_owner, inherits }: ServerFacts): Finding {
  const what = 'login rights'
  if (is_superuser) return failed(what, 'the login is a superuser')
  if (is_owner) return failed(what, 'the login has the rights of malipo_owner')
  if (may_create_roles) return failed(what, 'the login may create roles')
  if (inherits) return failed(what, 'the login inherits the rights of its roles', { remedy: 'alter role … noinherit' })
  return ok(what, 'none of its own')
}

function connections(facts: ServerFacts, { databaseConnections }: Config): Finding {
  const needed = 2 * databaseConnections + 1
  const message = `one process needs up to ${needed}, the server has ${facts.connections}`
  return needed <= facts.connections ? ok('connections', message) : failed('connections', message)
}
