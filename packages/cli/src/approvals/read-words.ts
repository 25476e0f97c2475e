import { parseFlags } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'

/** Splits the words after a subcommand into the id of an operation and its flags. Throws `UsageError`. */
export function readIdAndFlags<const Name extends string, const Switch extends string>(
  subcommand: string,
  argv: readonly string[],
  flags: { readonly values: readonly Name[]; readonly switches: readonly Switch[] },
): { readonly id: string; readonly flags: ReturnType<typeof parseFlags<Name, Switch>> } {
  const [id, ...rest] = argv
  if (id === undefined || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) {
    throw new UsageError(
      `svc approvals ${subcommand} takes the id of an operation first; svc approvals list shows them`,
    )
  }
  return { id, flags: parseFlags(rest, flags) }
}
