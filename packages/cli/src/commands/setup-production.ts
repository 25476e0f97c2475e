import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { readFileIfPresent } from '@svc/runtime'
import { envFilePath, readChains, readEnvFile } from '@svc/tool-server'
import type { StopCause } from '@svc/tool-server/until-stopped'
import * as z from 'zod'
import { parseFlags } from '../parse-words-and-flags.ts'
import type { SetupTerminal } from '../setup/ask-answers.ts'
import { productionSteps, type ProductionSetup, setUpProduction, setupRecord } from '../setup/set-up-production.ts'
import { shellWord } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'
import { readWorldKey } from '../world-directory.ts'
import { readInputText } from '../read-input-file.ts'
import {
  type Asked,
  type ProductionAnswers,
  type ProductionInput,
  productionInputs,
} from '../setup/production-inputs.ts'

/**
 * `svc setup production`: asks what is not known from flags, environment and environment file, then sets the data directory up. Resolves to
 * 0 where a server on it would serve, 1 where something fails there, 130 where the person left, and nothing was written.
 */
export async function setupProduction(
  argv: readonly string[],
  dataDirOf: (flag: string | undefined) => string,
  stopped: Promise<StopCause>,
  terminal: SetupTerminal = { input: process.stdin, output: process.stderr },
): Promise<number> {
  const flags = parseFlags(argv, {
    values: [...inputFlags, 'data-dir'],
    switches: ['skip-identity', 'non-interactive', 'json'],
  })
  const isAsked = !flags['non-interactive'] && !flags.json
  if (isAsked && terminal.input.isTTY !== true)
    throw new UsageError('There is no terminal to ask on. A script says --non-interactive.')
  const dataDir = dataDirOf(flags['data-dir'])
  if ((await readWorldKey(dataDir)) !== null)
    throw new Error(`${dataDir} is that of a local world (svc up). Name another one with --data-dir.`)
  const environment = process.env
  const written = { ...(await remembered(dataDir)), ...readEnvFile(envFilePath(dataDir)) }
  const chains = readChains(environment['SVC_CHAINS_FILE'] || written['SVC_CHAINS_FILE'])
  const stdin = () => textOf(process.stdin)
  const { given, warnings } = await gatherAnswers(flags, { environment, written, stdin, table: chains })
  for (const warning of warnings) process.stderr.write(`svc setup production: ${warning}\n`)
  const isLeftOut = flags['skip-identity']
  const asked = isAsked
    ? await askPerson(given, { chains, dataDir, asksIdentity: !isLeftOut, terminal, stopped })
    : { given, registersIdentity: !isLeftOut }
  if (asked === null) {
    process.stderr.write('Nothing was written.\n')
    return 130
  }
  const answers = completeAnswers(asked.given, chains)
  const done = await setUpProduction(answers, {
    dataDir,
    place: shellWord(dataDir),
    clone: process.cwd(),
    user: process.getuid === undefined ? null : `${process.getuid()}:${process.getgid?.() ?? process.getuid()}`,
    environment,
    chains,
    randomBytes,
    registersIdentity: asked.registersIdentity,
    say: (step, said) =>
      void process.stderr.write(`${step + 1}/${productionSteps.length} ${productionSteps[step]}: ${said}\n`),
  })
  process.stdout.write(flags.json ? `${JSON.stringify(done)}\n` : closingText(done))
  return done.health.ok ? 0 : 1
}

type Asking = {
  readonly chains: Parameters<typeof completeAnswers>[1]
  readonly dataDir: string
  readonly asksIdentity: boolean
  readonly terminal: SetupTerminal
  readonly stopped: Promise<StopCause>
}

/** Loaded for a person alone. */
async function askPerson(
  given: Readonly<Record<string, string>>,
  { chains, dataDir, asksIdentity, terminal, stopped }: Asking,
) {
  const { askAnswers } = await import('../setup/ask-answers.ts')
  const leaving = new AbortController()
  void stopped.then(() => leaving.abort())
  const question = `Make the wallet at the provider, and write ${envFilePath(dataDir)}?`
  return askAnswers(given, chains, { ...terminal, signal: leaving.signal, asksIdentity, question })
}

/** What an earlier run was told, for settings that a server does not have. */
async function remembered(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFileIfPresent(join(dataDir, setupRecord))
  const read = z.record(z.string().startsWith('SETUP_'), z.string()).safeParse(text === null ? {} : parsed(text))
  if (read.success) return read.data
  throw new Error(`${join(dataDir, setupRecord)} is damaged. Remove it.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function closingText({ dataDir, address, ownerKeyFile, configuration }: ProductionSetup): string {
  const place = shellWord(dataDir)
  const owner =
    ownerKeyFile === null
      ? ''
      : `\nMOVE THIS FILE OFF THIS MACHINE, for whoever has it can lift the policy of the wallet: ${ownerKeyFile}\n`
  return `
${configuration}
${owner}
The wallet is ${address}: send it native currency for gas, and no more than you can lose.
Its limits: svc policy show --data-dir ${place}. What is wrong, if anything: svc doctor --data-dir ${place}
`
}

/**
 * What is known without asking anybody: flags over the environment over the environment file. What a file or stdin holds (`--...-file`, `-`)
 * counts as its flag. `warnings` are about secrets that others of this machine can see.
 */
async function gatherAnswers(
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
const inputFlags: readonly InputFlag[] = productionInputs.flatMap((input) => [input.flag, fileFlag(input)])

/** The rows without what the compiler knows of each. */
const inputRows: readonly ProductionInput[] = productionInputs

/** Fills in what has a default. Throws `UsageError` with everything that is missing or makes no sense, at once. */
function completeAnswers(given: Asked['given'], table: Asked['table']): ProductionAnswers {
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
