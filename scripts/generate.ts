/** npm run generate: writes the files that are generated from tables in the code. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generated } from '../tools/docs/generated.ts'

const root = join(import.meta.dirname, '..')

for (const [path, text] of await generated()) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(path)
}
