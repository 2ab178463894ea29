import { inspect } from 'node:util'

/** A value that must never be printed. Logging, JSON and string building show `[hidden]`; only `reveal` returns it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[hidden]'
  }

  toJSON(): string {
    return '[hidden]'
  }

  [inspect.custom](): string {
    return '[hidden]'
  }
}
