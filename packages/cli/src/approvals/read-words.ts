import { type FlagNames, type Flags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'

/** Splits the words after a subcommand into the id of an operation and its flags, in any order. Throws `UsageError`. */
export function readIdAndFlags<const Name extends string, const Switch extends string>(
  subcommand: string,
  argv: readonly string[],
  names: FlagNames<Name, Switch>,
): { readonly id: string; readonly flags: Flags<Name, Switch> } {
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [id, more] = words
  if (id === undefined || more !== undefined || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    throw new UsageError(`svc approvals ${subcommand} takes the id of one operation; svc approvals list shows them`)
  }
  return { id, flags }
}
