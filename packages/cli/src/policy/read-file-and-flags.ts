import { type FlagNames, type Flags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'

/** Splits the words after a subcommand into at most one file and its flags, in any order. Throws `UsageError`. */
export function readFileAndFlags<const Name extends string, const Switch extends string>(
  argv: readonly string[],
  names: FlagNames<Name, Switch>,
): { readonly file: string | null; readonly flags: Flags<Name, Switch> } {
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [file = null, more] = words
  if (more !== undefined) throw new UsageError(`one file is read at a time: "${more.slice(0, 80)}" is one too many`)
  return { file, flags }
}
