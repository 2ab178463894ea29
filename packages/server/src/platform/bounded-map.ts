/** A map that forgets the entry set longest ago when it grows beyond its size, so that memory stays bounded. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    super()
    this.#sizeMax = sizeMax
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (this.size > this.#sizeMax && oldest !== undefined) this.delete(oldest)
    return this
  }
}
