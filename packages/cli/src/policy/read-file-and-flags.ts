import { parseFlags } from '../parse-flags.ts'

/** Splits the words after a subcommand into at most one file and its flags. Throws `UsageError`. */
export function readFileAndFlags<const Name extends string, const Switch extends string>(
  argv: readonly string[],
  flags: { readonly values: readonly Name[]; readonly switches: readonly Switch[] },
): { readonly file: string | null; readonly flags: ReturnType<typeof parseFlags<Name, Switch>> } {
  const [first, ...rest] = argv
  if (first === undefined || first.startsWith('-')) return { file: null, flags: parseFlags(argv, flags) }
  return { file: first, flags: parseFlags(rest, flags) }
}
