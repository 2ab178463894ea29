/** A map that drops its oldest entries, a tenth at a time, when it exceeds its size: memory stays bounded. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number

  constructor(sizeMax: number) {
    super()
    this.#sizeMax = sizeMax
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#sizeMax) this.#forget(Math.ceil(this.#sizeMax / 10))
    return this
  }

  /** Finding the oldest entry skips all entries deleted before it, so it does not run for each new entry. */
  #forget(count: number): void {
    for (const key of this.keys().take(count)) this.delete(key)
  }
}
