import { type Config, settings } from '../../config.ts'
import { type Finding, failed, ok } from './checks.ts'

const distinctBytesMin = 16
const distinctCharactersMin = 6

/** Keys that were not generated at random. The findings name a key and never show it. */
export function weakKeys(config: Config): Finding[] {
  const keys = (['tokenKeys', 'secretKeys'] as const).flatMap((setting) =>
    config[setting].map(({ id, key }) => ({ name: `key ${id} of ${settings[setting].name}`, bytes: key.export() })),
  )
  const guessable = keys.filter(({ bytes }) => !isRandom(bytes)).map(({ name }) => `${name} is not random`)
  const firstOf = (bytes: Buffer) => keys.find((each) => each.bytes.equals(bytes))
  const repeated = keys.flatMap(({ name, bytes }) => {
    const first = firstOf(bytes)
    return first && first.name !== name ? [`${name} is the same as ${first.name}`] : []
  })
  const tokens = (['simulatorToken', 'metricsToken', 'flutterwaveWebhookHash'] as const)
    .filter((setting) => new Set(config[setting]?.reveal() ?? 'random').size < distinctCharactersMin)
    .map((setting) => `${settings[setting].name} repeats a few characters`)
  const weak = [...guessable, ...repeated, ...tokens]
  return weak.length === 0 ? [ok('weak keys', 'none')] : weak.map((message) => failed('weak keys', message))
}

/** 32 random bytes have fewer than 16 different ones, equal steps, or only printable characters, less than once in 10^11 keys. */
function isRandom(bytes: Buffer): boolean {
  const steps = new Set([...bytes].slice(1).map((byte, index) => (byte - (bytes[index] ?? 0)) & 0xff))
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return new Set(bytes).size >= distinctBytesMin && steps.size > 2 && !isText
}
