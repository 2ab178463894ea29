import type { Random } from '../support/cluster/random.ts'

/** Text that trips up parsers, databases and logs. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u{1F600}',
  'é́́',
  '\u202egnp.exe',
  '\ufeff',
  '\ufffd',
  '\r\nX-Injected: 1',
  "'; drop table merchants; --",
  '#{7*7}{{7*7}}',
  '../../etc/passwd',
  '%00',
  '%zz',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-0',
  '1e400',
  '0x10',
  '٣',
  '9007199254740993',
  'true',
  '{"a":1}',
  'a@b.c',
  '+254703456789 ',
  '2026-02-30',
  '9999-99-99',
  '0000-00-00',
  'KES\n',
]

export function oddText(random: Random): string {
  if (random() < 0.75) return random.pick(oddTexts)
  const unit = random.pick(['a', '.', '@', ' ', '0', 'é', '\u{1F600}', 'a@', '\\', '"', '[', '\u0000'])
  return unit.repeat(random.pick([51, 100, 101, 255, 256, 300, 2049, 9000]))
}

/** Any JSON value, preferably an unexpected one. */
export function oddValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => random() < 0.5,
    () => random.pick([0, -0, -1, 0.1, 1.005, 1e-7, 1e21, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 53), 5e-324]),
    () => oddText(random),
    () => oddText(random),
    () => [],
    () => ({}),
    () => [oddText(random)],
    () => ({ [oddText(random)]: oddText(random) }),
    () => Array.from({ length: random.pick([2, 101, 1001, 3000]) }, () => 1),
    () => Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, index])),
    () => nested(random.pick([2, 10, 19, 20, 21, 40, 3000])),
  ])()
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
