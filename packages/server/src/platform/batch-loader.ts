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
  let isLoading = false

  const loadAll = async () => {
    isLoading = true
    while (waiting.length > 0) {
      const loading = waiting
      waiting = []
      try {
        const values = await load(loading.map(({ key }) => key))
        for (const [index, { resolve }] of loading.entries()) resolve(values[index] as Value)
      } catch (error) {
        for (const { reject } of loading) reject(error)
      }
    }
    isLoading = false
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (!isLoading) void loadAll()
    })
}
