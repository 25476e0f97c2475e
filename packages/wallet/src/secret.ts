import { inspect } from 'node:util'

/** Holds a string that must not be printed. Only `reveal` gives it back; every way of formatting shows `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The secret itself. Keep the result in a local variable for as short as possible. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
