import { UsageError } from './usage-error.ts'
import { type FlagNames, type Flags, parseWordsAndFlags } from './parse-words-and-flags.ts'

/**
 * Reads the flags of a command: `value` flags take a text, `boolean` ones none. Strict and without positionals. Throws
 * `UsageError` naming the flag.
 */
export function parseFlags<const Name extends string, const Switch extends string = never>(
  argv: readonly string[],
  flags: FlagNames<Name, Switch>,
): Flags<Name, Switch> {
  const { words, flags: read } = parseWordsAndFlags(argv, flags)
  const [word] = words
  if (word !== undefined) throw new UsageError(`there is no place for "${word.slice(0, 80)}" here`, { seeHelp: true })
  return read
}

/** A whole number in [min, max] out of a flag's text; `undefined` stays. Throws `UsageError` naming the flag. */
export function parseWholeNumber(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value) || value < min || value > max) {
    throw new UsageError(`${flag} takes a whole number from ${min} to ${max}, not "${text.slice(0, 40)}"`)
  }
  return value
}
