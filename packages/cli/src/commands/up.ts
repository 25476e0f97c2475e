import type { StopCause } from '@svc/tool-server/until-stopped'
import { parseFlags, parseWholeNumber } from '../parse-words-and-flags.ts'
import type { World, WorldOptions } from '../start-world.ts'
import { UsageError } from '../usage-error.ts'

/** `svc up`: a local world in the foreground until it is asked to end. */
export async function up(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { json, ...options } = readOptions(argv)
  const world = await Promise.race([open(options), stopped])
  // Half a world has nothing worth an orderly end: what it started goes with the process.
  if (typeof world === 'string') {
    process.stderr.write('svc up: asked to end before the world was ready; what had started ends.\n')
    process.exit(0)
  }
  process.stdout.write(json ? `${JSON.stringify(world.ready)}\n` : (await import('../welcome.ts')).welcome(world))
  const cause = await Promise.race([stopped, world.chainEnded.then(() => untilSurelyUnasked(stopped))])
  if (cause === 'chain-ended') process.stderr.write('svc up: a local chain has ended by itself, so the rest ends too\n')
  else process.stderr.write(await endingLines(world))
  const code = cause === 'chain-ended' ? 1 : 0
  await stopInTime(world, code)
  return code
}

function readOptions(argv: readonly string[]): Omit<WorldOptions, 'onProgress'> & { readonly json: boolean } {
  const flags = parseFlags(argv, {
    values: ['mcp-port', 'rpc-port', 'api-port', 'chain-id', 'profile', 'data-dir', 'trading-dialect'],
    switches: ['json', 'trading-api', 'oauth', 'sign-in', 'websocket'],
  })
  const portOf = (name: 'mcp-port' | 'rpc-port' | 'api-port') => parseWholeNumber(`--${name}`, flags[name], 0, 65_535)
  const options = {
    json: flags.json,
    mcpPort: portOf('mcp-port'),
    rpcPort: portOf('rpc-port'),
    apiPort: portOf('api-port'),
    chainId: parseWholeNumber('--chain-id', flags['chain-id'], 1, 2 ** 31) ?? 31_337,
    profile: profileOf(flags.profile),
    dataDir: flags['data-dir'],
    tradingApi: tradingOf(flags),
    waysIn: { oauth: flags.oauth, wallets: flags['sign-in'], webSocket: flags.websocket },
    logLevel: process.env['LOG_LEVEL'] ?? 'warn',
  }
  if (options.dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  refuseSamePort({ '--mcp-port': options.mcpPort, '--rpc-port': options.rpcPort, '--api-port': options.apiPort })
  return options
}

function profileOf(profile = 'full'): WorldOptions['profile'] {
  if (profile === 'data' || profile === 'full' || profile === 'learning') return profile
  throw new UsageError(`--profile takes data, full or learning, not "${profile}"`)
}

function tradingOf(flags: {
  readonly 'trading-api': boolean
  readonly 'trading-dialect'?: string
}): WorldOptions['tradingApi'] {
  const dialect = flags['trading-dialect']
  if (dialect === undefined) return flags['trading-api'] ? 'v1' : undefined
  if (!flags['trading-api']) throw new UsageError('--trading-dialect goes with --trading-api')
  if (dialect !== 'v1' && dialect !== 'lp') throw new UsageError(`--trading-dialect takes v1 or lp, not "${dialect}"`)
  return dialect
}

function refuseSamePort(ports: Readonly<Record<string, number | undefined>>): void {
  const flagOf = new Map<number, string>()
  for (const [flag, port = 0] of Object.entries(ports)) {
    const other = flagOf.get(port)
    if (port > 0 && other !== undefined) throw new UsageError(`${other} and ${flag} cannot both be ${port}`)
    flagOf.set(port, flag)
  }
}

/** Loads the rest of the program only now: a slip in a flag is answered at once. */
async function open(options: Omit<WorldOptions, 'onProgress'>): Promise<World> {
  const { startWorld } = await import('../start-world.ts')
  const warned = [...(await settingSlips(process.env)), ...(await publicIdSlips(options.chainId))]
  for (const line of warned) process.stderr.write(`svc up: ${line}\n`)
  return startWorld({ ...options, onProgress: (line) => process.stderr.write(`${line}\n`) })
}

/** A local world makes its own settings and reads these of the environment; a slip in one would be passed over in silence. */
async function settingSlips(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { unknownSettings } = await import('@svc/runtime')
  const found = unknownSettings(Object.keys(environment), { names: ['LOG_LEVEL', 'SVC_ANVIL_PATH'], perChain: [] })
  return found.flatMap(({ name, meant }) =>
    meant === null ? [] : [`${name} is not a setting. Did you mean ${meant}?`],
  )
}

/** A chain id is all that tells a signature for one chain from one for another. */
export async function publicIdSlips(chainId: number): Promise<readonly string[]> {
  const { chains } = await import('@svc/wallet/core')
  const chain = chains.find(({ id }) => id === chainId)
  if (chain === undefined) return []
  return [
    `--chain-id ${chainId} is that of ${chain.name}, a public chain: what the wallet signs here is valid there as well. Send it nothing there.`,
  ]
}

/** Ctrl-C reaches the chain as well as us, and it may be the first to end. */
async function untilSurelyUnasked(stopped: Promise<StopCause>) {
  const patience = new Promise<'chain-ended'>((resolve) => setTimeout(() => resolve('chain-ended'), 300))
  return Promise.race([stopped, patience])
}

async function endingLines(world: World): Promise<string> {
  const { stoppingLine } = await import('@svc/tool-server')
  const { isTemporary, dataDir } = world.settings
  const kept = isTemporary
    ? 'Its temporary directory goes with it.'
    : `Keys, wallet, policy and a pause are kept in ${dataDir}; the next start there has a new chain.`
  return `${stoppingLine(world.writesUnderWay(), stopSeconds)}The local world ends. ${kept}\n`
}

const stopSeconds = 2

/** Whatever has not ended in time, a call that waits for a block for example, goes with the process. */
async function stopInTime(world: World, code: number): Promise<void> {
  const timer = setTimeout(() => process.exit(code), stopSeconds * 1_000)
  await world.stop().catch((error: unknown) => process.stderr.write(`svc up: ${String(error)}\n`))
  clearTimeout(timer)
}
