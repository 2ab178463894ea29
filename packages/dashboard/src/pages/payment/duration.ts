const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** `31 ms`, `10.05 s`, `1 m 48.20 s`, `2 h 5 m`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`
  if (ms < minute) return `${trimmed(ms / second)} s`
  if (ms < hour) {
    const seconds = (ms % minute) / second
    return `${Math.floor(ms / minute)} m${seconds === 0 ? '' : ` ${trimmed(seconds)} s`}`
  }
  if (ms < day) return pair(ms, [hour, 'h'], [minute, 'm'])
  return pair(ms, [day, 'd'], [hour, 'h'])
}

const trimmed = (seconds: number) => String(Number(seconds.toFixed(2)))

function pair(ms: number, [large, largeWord]: [number, string], [small, smallWord]: [number, string]): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeWord}${rest === 0 ? '' : ` ${rest} ${smallWord}`}`
}
