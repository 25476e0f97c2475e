import { type FlagNames, type Flags, parseWordsAndFlags } from './parse-words-and-flags.ts'
import { UsageError } from './usage-error.ts'

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
