/**
 * Looks things up together: what is asked for while a question is under way goes into the next one. There is no timer, so a
 * single question is put at once, and a thousand cost two. `load` answers in the order of what it was asked for.
 */
export function createGatherer<Key, Value>(
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
