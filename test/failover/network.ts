import { execFileSync } from 'node:child_process'

/** Separate machines, as network namespaces on one bridge: a machine that is cut off still runs. */
export interface Network {
  /** Runs a command on a machine. */
  on(place: number, command: string, args: readonly string[]): { readonly command: string; readonly args: string[] }
  cut(place: number): void
  join(place: number): void
  close(): void
}

/** Prefix for the address of each machine, and of this one. */
const subnet = '10.77.0.'
export const here = `${subnet}254`
export const addressOf = (place: number) => `${subnet}${place + 1}`

const program = 'ip'
const bridge = 'malipo-ha'
const spaceOf = (place: number) => `malipo-ha${place}`
const cableOf = (place: number) => `mha${place}`

/** Needs the rights to create namespaces, as root has. */
export function openNetwork(machines: number): Network {
  const places = Array.from({ length: machines }, (_, place) => place)
  const remove = () => {
    for (const place of places) tryIp('netns', 'del', spaceOf(place))
    tryIp('link', 'del', bridge)
  }
  remove() // Left by an earlier run that was killed.
  ip('link', 'add', bridge, 'type', 'bridge')
  ip('addr', 'add', `${here}/24`, 'dev', bridge)
  ip('link', 'set', bridge, 'up')
  for (const place of places) addMachine(place)
  return {
    on: (place, command, args) => ({ command: program, args: ['netns', 'exec', spaceOf(place), command, ...args] }),
    cut: (place) => ip('link', 'set', cableOf(place), 'down'),
    join: (place) => ip('link', 'set', cableOf(place), 'up'),
    close: remove,
  }
}

function addMachine(place: number): void {
  const [space, cable] = [spaceOf(place), cableOf(place)]
  ip('netns', 'add', space)
  ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
  ip('link', 'set', cable, 'master', bridge, 'up')
  ip('netns', 'exec', space, 'ip', 'addr', 'add', `${addressOf(place)}/24`, 'dev', 'eth0')
  for (const device of ['eth0', 'lo']) ip('netns', 'exec', space, 'ip', 'link', 'set', device, 'up')
}

function ip(...args: string[]): void {
  execFileSync(program, args, { stdio: 'pipe' })
}

function tryIp(...args: string[]): void {
  try {
    ip(...args)
  } catch {
    // It does not exist.
  }
}
