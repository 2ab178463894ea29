/**
 * npm run image [-- --built]: builds the image with buildah, runs every role from it with a read-only root, in two cells behind
 * HAProxy, and runs the acceptance check of merchants against them where that lies beside the clone. Needs root, buildah, mmdebstrap
 * and haproxy. `--built` takes the image of the last build.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { proveImage } from '../tools/image/prove.ts'

const root = join(import.meta.dirname, '..')

process.exitCode = (process.argv.includes('--built') || build()) && (await proveImage('localhost/malipo:local')) ? 0 : 1

function build(): boolean {
  return ['base', 'build'].every((step) => {
    const startedAt = performance.now()
    const { status } = spawnSync(join(root, 'deploy/image', step), { stdio: ['ignore', 'ignore', 'inherit'] })
    console.log(`${step}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    return status === 0
  })
}
