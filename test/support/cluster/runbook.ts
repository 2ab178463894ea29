import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programFolders, serverUser } from '../../../packages/server/src/dev-stack/postgres.ts'

const root = join(import.meta.dirname, '../../..')

interface RunAs {
  /** As the user of the server's files. */
  readonly isPostgres?: boolean
  /** On the database itself, where the page expects staff that is signed in. */
  readonly isBreakGlass?: boolean
}

/** Runs the commands of an operator page as written, except for the backup location. */
export function openRunbook(page: string, backups: string) {
  const text = readFileSync(join(root, 'docs/operating', page), 'utf8').replaceAll('/backup/', `${backups}/`)
  const blockOf = (info: string): string => {
    const found = text.split('```').find((part) => part.startsWith(`${info}\n`))
    assert.ok(found, `${page} has no block ${info}`)
    return found.slice(info.length + 1)
  }
  return {
    block: blockOf,
    /** Settings by name, as PostgreSQL takes them. */
    settings: (): Record<string, string> =>
      Object.fromEntries(
        blockOf('conf')
          .trim()
          .split('\n')
          .map((line) => {
            const [, name = '', value = ''] = /^(\w+) = '?(.*?)'?$/.exec(line) ?? []
            return [name, value]
          }),
      ),
    run: async (
      name: string,
      env: Readonly<Record<string, string>>,
      { isPostgres = false, isBreakGlass = false }: RunAs = {},
    ): Promise<string> => {
      const options = isBreakGlass ? '--break-glass' : ''
      const malipo = `malipo() { '${process.execPath}' '${join(root, 'packages/cli/src/main.ts')}' ${options} "$@"; }\n`
      const path = [...programFolders(), process.env['PATH']].join(':')
      const { stdout } = await promisify(execFile)('sh', ['-euc', malipo + blockOf(`sh ${name}`)], {
        cwd: '/',
        env: { ...env, PATH: path, NODE_COMPILE_CACHE: join(tmpdir(), 'malipo-compiled') },
        ...(isPostgres && serverUser()),
      })
      return stdout
    },
  }
}
