import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderCells } from '../operate/operator.ts'
import { findProgram, isListening, makeFolder, type Service, startService } from './processes.ts'

/** HAProxy in front of cells, as `malipo cells render` configures it. */
export function startRouter(folder: string, port: number, cells: string): Promise<Service> {
  const target = makeFolder(join(folder, 'router'))
  const rendered = renderCells(`bind = "127.0.0.1:${port}"\n${cells}`, target)
  for (const [name, text] of Object.entries(rendered)) writeFileSync(join(target, name), text)
  return startService({
    name: 'haproxy',
    command: findProgram('haproxy', ['/usr/sbin'], 'haproxy'),
    args: ['-db', '-f', join(target, 'cells.cfg')],
    folder,
    env: {},
    isReady: () => isListening(port),
  })
}
