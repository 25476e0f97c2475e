import { UsageError } from '../usage-error.ts'
import { readInputText } from '../read-input-file.ts'
import { type Asked, type ProductionAnswers, type ProductionInput, productionInputs } from './production-inputs.ts'

/**
 * What is known without asking anybody: flags over the environment over the environment file. What a file or stdin holds (`--...-file`, `-`)
 * counts as its flag. `warnings` are about secrets that others of this machine can see.
 */
export async function gatherAnswers(
  flags: Readonly<Partial<Record<InputFlag, string>>>,
  { environment, written, stdin, table }: Sources,
): Promise<{ readonly given: Readonly<Record<string, string>>; readonly warnings: readonly string[] }> {
  const given: Record<string, string> = {}
  const warnings: string[] = []
  if (productionInputs.filter((input) => flags[fileFlag(input)] === '-').length > 1)
    throw new UsageError('Standard input holds one value: name a file for the others.')
  for (const input of productionInputs) {
    const inFile = await fromFile(flags[fileFlag(input)], stdin)
    const inFlag = flags[input.flag]
    if (inFile !== undefined && inFlag !== undefined)
      throw new UsageError(`--${input.flag} and --${fileFlag(input)} cannot both be given`)
    if (inFlag !== undefined && input.isSecret)
      warnings.push(`--${input.flag} can be read in the list of processes; --${fileFlag(input)} FILE or - cannot.`)
    const found = inFile ?? inFlag ?? (environment[input.setting] || written[input.setting])
    if (found !== undefined) given[input.name] = found
  }
  return { given: withWrittenEndpoint(given, written, table), warnings }
}

export type Sources = Pick<Asked, 'table'> & {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The settings in the environment file. */
  readonly written: Readonly<Record<string, string>>
  /** All of standard input, read when it is asked for. */
  readonly stdin: () => Promise<string>
}

/** The flag by which an input is read from a file. */
export function fileFlag<const Flag extends string>({ flag }: { readonly flag: Flag }): `${Flag}-file` {
  return `${flag}-file`
}

type RowFlag = (typeof productionInputs)[number]['flag']
export type InputFlag = RowFlag | `${RowFlag}-file`

/** Names of all flags that inputs have. */
export const inputFlags: readonly InputFlag[] = productionInputs.flatMap((input) => [input.flag, fileFlag(input)])

/** The rows without what the compiler knows of each. */
const inputRows: readonly ProductionInput[] = productionInputs

/** Fills in what has a default. Throws `UsageError` with everything that is missing or makes no sense, at once. */
export function completeAnswers(given: Asked['given'], table: Asked['table']): ProductionAnswers {
  const known: Record<string, string> = { ...given }
  const problems = inputRows.flatMap((input) => {
    const asked = { given: known, table }
    const value = known[input.name] ?? input.fallback(asked)
    const flag = `--${input.flag}${input.isSecret ? ` (or --${fileFlag(input)})` : ''}`
    if (value === null) return [`${flag} is missing: ${input.title}. Or set ${input.setting}.`]
    const accepted = input.problem(value, asked)
    known[input.name] = value
    return accepted === null ? [] : [`${flag} takes ${accepted}.`]
  })
  if (problems.length > 0) throw new UsageError(problems.join('\n'), { seeHelp: true })
  return known as ProductionAnswers
}

async function fromFile(path: string | undefined, stdin: Sources['stdin']): Promise<string | undefined> {
  if (path === undefined) return undefined
  return (path === '-' ? await stdin() : await readInputText(path, 'a file with one value', 16_384)).trim()
}

/** The endpoint of one chain stands in a setting of its own. */
function withWrittenEndpoint(
  given: Asked['given'],
  written: Sources['written'],
  table: Asked['table'],
): Asked['given'] {
  if (given['rpcProvider'] !== undefined) return given
  const chain = table.find(({ id }) => written[`SVC_RPC_URL_${id}`] !== undefined)
  const endpoint = chain === undefined ? undefined : written[`SVC_RPC_URL_${chain.id}`]
  if (chain === undefined || endpoint === undefined) return given
  return { chains: chain.name, ...given, rpcProvider: endpoint }
}
