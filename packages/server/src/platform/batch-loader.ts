/**
 * Loads keys together: keys that arrive during a load go into the next one. It uses no timer, so a single key is loaded at once,
 * and a thousand take two loads. `load` must return values in key order.
 */
export function createBatchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: {
    readonly key: Key
    readonly resolve: (value: Value) => void
    readonly reject: (error: unknown) => void
  }[] = []
  let isAsking = false

  const ask = async () => {
    isAsking = true
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      try {
        const values = await load(asked.map(({ key }) => key))
        for (const [index, { resolve }] of asked.entries()) resolve(values[index] as Value)
      } catch (error) {
        for (const { reject } of asked) reject(error)
      }
    }
    isAsking = false
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (!isAsking) void ask()
    })
}
