import { inspect } from 'node:util'

/** What is wrong with a secret that is to be one word of visible ASCII, without a character of it; `null` where nothing is. */
export function faultOfWord(word: unknown): string | null {
  if (word === undefined || word === null) return 'is missing'
  if (typeof word !== 'string') return 'is no text'
  if (word === '') return 'is empty'
  if (/[\r\n]/.test(word)) return 'has a line break in it'
  if (/\s/.test(word)) return 'has white space in it'
  if (/^["'`]|["'`]$/.test(word)) return 'is in quotes'
  return /^[!-~]*$/.test(word) ? null : 'has other characters than those of ASCII'
}

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
