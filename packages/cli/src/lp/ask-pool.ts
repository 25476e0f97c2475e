import { access, readFile } from 'node:fs/promises'
import * as z from 'zod'
import { readOperatorConfig } from '@svc/tool-server/operator-config'
import { meantDirectory } from '../own-data-directory.ts'
import { UsageError } from '../usage-error.ts'
import { findWorldChains } from '../world-directory.ts'
import { ownChainFix } from './tool-refusal.ts'
import { printableText } from '../terminal-text.ts'
import { askTools, type ToolAnswer, type Tools } from './ask-tools.ts'
import { namePair, readPoolPlace, type NamedPair, type PoolPlaceFlags } from './pool-place.ts'
import { writeSvgText } from './write-svg.ts'

/**
 * Asks a tool about the pool that the flags name, and prints the answer: whole with `--json`, else as `show` puts it; `--svg` keeps its
 * picture. Resolves to the exit code, 130 when `stopped` came first.
 */
export async function askPool<T extends object>(
  flags: AskPoolFlags,
  { stopped, ask, show }: PoolQuestion<T>,
): Promise<number> {
  const place = readPoolPlace(flags)
  const environment = await serverEnvironment(flags['data-dir'], process.env)
  const onProgress = progressLine(process.stderr)
  const answer = await askTools({ environment, stopped, onProgress }, async (tools) => {
    const answered = await ask(tools, await namePair(tools, place))
    if (flags.svg !== undefined) await writeSvgText(flags.svg, await answered.svg())
    return answered
  }).catch(async (error: unknown) => {
    throw (await endedWorld(error, environment['SVC_DATA_DIR'] ?? '')) ?? error
  })
  if (answer === null) return 130
  process.stdout.write(printableText(flags.json ? `${JSON.stringify(answer.data)}\n` : show(answer.read)))
  return 0
}

export type AskPoolFlags = PoolPlaceFlags & {
  readonly json: boolean
  readonly 'data-dir'?: string
  readonly svg?: string
}

export type PoolQuestion<T> = {
  readonly stopped: Promise<unknown>
  readonly ask: (tools: Tools, pair: NamedPair) => Promise<ToolAnswer<T>>
  readonly show: (read: T) => string
}

/**
 * The environment of a tool server on the settings of this one: in the data directory of a local world, on its chain unless the
 * settings name others. Throws `ConfigError`, and for a `--data-dir` that does not exist.
 */
export async function serverEnvironment(
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>>> {
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const { dataDir: directory, chainsFile } = readOperatorConfig(
    dataDir === undefined ? environment : { ...environment, SVC_DATA_DIR: dataDir },
  )
  if (dataDir !== undefined) await requireDirectory(directory, dataDir)
  const worldChains = chainsFile === null ? await findWorldChains(directory) : null
  const given = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return {
    LOG_LEVEL: 'error',
    ...Object.fromEntries(given),
    SVC_DATA_DIR: directory,
    ...(worldChains === null ? {} : { SVC_CHAINS_FILE: worldChains }),
  }
}

/** What is said in place of an endpoint that does not answer where it is that of a local world which has ended; `null` for all else. */
export async function endedWorld(error: unknown, directory: string): Promise<Error | null> {
  if (!(error instanceof Error)) return null
  const said = 'code' in error ? String(error.code) : error.message
  if (!said.startsWith('RPC_UNAVAILABLE')) return null
  const path = await findWorldChains(directory)
  const [row] = path === null ? [] : rows.parse(JSON.parse(await readFile(path, 'utf8')))
  const url = row?.publicRpcUrls[0]
  if (url === undefined || (await answers(url))) return null
  const start = `npm start -- --data-dir ${directory}`
  return new Error(
    `The local world of ${directory} is not running: nothing answers at ${url}. Start it in another terminal with ${start} ` +
      '(svc up --data-dir where svc is installed); keys, wallet and policy are kept, the chain is a new one.',
    { cause: error },
  )
}

const rows = z.array(z.object({ publicRpcUrls: z.array(z.string()) }))

async function answers(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function requireDirectory(directory: string, said: string): Promise<void> {
  await access(directory).catch(async (cause: unknown) => {
    const meant = await meantDirectory(directory)
    throw new Error(`--data-dir ${said} does not exist or cannot be read. ${meant}${ownChainFix}`, { cause })
  })
}

/** Tells of paths that are simulated, on a terminal alone: who reads a file of it has no use for a line that is written over. */
export function progressLine(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>) {
  return (done: number, all: number): void => {
    if (stream.isTTY) stream.write(done < all ? `\r${done} of ${all} paths` : '\r\u001B[K')
  }
}
