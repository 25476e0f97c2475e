import { randomBytes } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDevnet, type Devnet } from '@svc/devnet'
import { devnetPolicy } from '@svc/engine'
import { openServer, provisionKeys, readConfig, type Tool } from '@svc/tool-server'
import { readPause } from '@svc/engine/switches'
import { chains as publicChains, type Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import {
  choosePort,
  startOnPort,
  type AskedWaysIn,
  openWaysIn,
  type OtherChain,
  startOtherChain,
  loadParts,
  startSupportApi,
  type LocalSupportApi,
} from './world-services.ts'
import { announce, type ReadyLine, readyLine } from './ready-line.ts'
import { openWorldDirectory, type WorldDirectory } from './world-directory.ts'

/**
 * Brings up a whole local world: chain, funded wallet, MCP server, support API. Port 0 is any free one; without a port the usual one is
 * taken when it is free. Without `dataDir` the state lives in a temporary directory that goes with the process. Rejects when a
 * part does not start, after stopping what did.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const closers: (() => unknown)[] = []
  let isStopped = false
  const stop = async (): Promise<void> => {
    isStopped = true
    for (const close of closers.splice(0).toReversed()) await close()
  }
  const started: Started = async (starting) => {
    const part = await starting
    // What starts beside a part that does not may be there only after the rest has ended.
    if (isStopped) await part.stop()
    else closers.push(() => part.stop())
    return part
  }
  try {
    const waysIn = await openWaysIn(options.waysIn ?? keysAlone, options.chainId)
    closers.push(() => waysIn.stop())
    const mcp = await choosePort('--mcp-port', options.mcpPort, usualMcpPort)
    const rpc = await choosePort('--rpc-port', options.rpcPort, usualRpcPort)
    const support = await choosePort('--api-port', options.apiPort, usualApiPort)
    const directory = await openWorldDirectory(options.dataDir)
    closers.push(() => directory.dispose())
    if (directory.cleared) options.onProgress(clearedNote)
    const { chainId, onProgress, logLevel } = options
    // It is read while the chain starts; whether it can be is asked below.
    loadParts().catch(() => {})
    // Seeding takes long enough for another program to take a port that was free before it.
    const chain = await startOnPort(rpc, (rpcPort) => startDevnet({ rpcPort, chainId, onProgress }))
    const devnet = chain.started
    closers.push(() => devnet.stop())
    const { other, orders, rewards } = await startBeside(devnet, directory.walletAddress, options, started)
    const trading = options.tradingApi === undefined ? null : orders
    const settings = await writeSettings(directory, { devnet, other }, options)
    const keys = provisionKeys(readConfig(settings.environment), randomBytes)
    directory.release()
    const { dataDir, chainsPath } = settings
    const supporting = await startOnPort(support, (port) =>
      startSupportApi({ devnet, dataDir, chainsPath, port, logLevel }),
    )
    const api = supporting.started
    closers.push(() => api.stop())
    const serving = await startOnPort(mcp, async (port) => {
      const environment = {
        ...settings.environment,
        ...settingsFor(api),
        ...trading?.settings,
        ...orders.orderSettings,
        ...waysIn.settings,
        SVC_REWARDS_URL: rewards.url,
      }
      return serveOn(port, environment, options.tools)
    })
    const { server, url } = serving.started
    closers.push(() => server.close())
    const takenPorts = { mcp: serving.taken, rpc: chain.taken, api: supporting.taken }
    const wallet = directory.walletAddress
    const parts = { devnet, other, url, keys, api, trading, orders, rewards, wallet, waysIn: waysIn.readyAt(url) }
    const ready = readyLine(parts)
    closers.push(await announce(dataDir, ready))
    const chainEnded = Promise.race([devnet.exited, other.devnet.exited])
    return { devnet, chainEnded, stop, settings, takenPorts, ready, writesUnderWay: () => server.writesUnderWay() }
  } catch (error) {
    await stop()
    throw error
  }
}

export type WorldOptions = {
  /** `undefined`: the usual port, or any free one when that is taken. */
  readonly rpcPort: number | undefined
  readonly mcpPort: number | undefined
  readonly apiPort: number | undefined
  readonly chainId: number
  readonly dataDir: string | undefined
  /** Which tools the server has; all of them without memory when absent. */
  readonly profile?: 'data' | 'full' | 'learning' | undefined
  /** The dialect in which a stand-in for the trading API, beside the server, is asked for what it can build; without one there is none. */
  readonly tradingApi?: 'v1' | 'lp' | undefined
  /** Beside the keys; none unless given. */
  readonly waysIn?: AskedWaysIn
  /** What the server logs to stderr from. */
  readonly logLevel: string
  readonly onProgress: (line: string) => void
  /** Of the server; the policy of the local chain when absent. */
  readonly policy?: ReturnType<typeof devnetPolicy>
  /** What the server offers; its own catalogue when absent. */
  readonly tools?: readonly Tool[]
}

export type World = {
  readonly devnet: Devnet
  /** Settles when the process of either chain has ended, for whatever reason. */
  readonly chainEnded: Promise<void>
  readonly ready: ReadyLine
  readonly settings: WorldSettings
  /** The usual ports that were taken, so that others stand in `ready`. */
  readonly takenPorts: Readonly<Record<'mcp' | 'rpc' | 'api', number | null>>
  /** How many writes of the server have begun and not ended. */
  writesUnderWay(): number
  /** Ends servers and chain, and removes what was temporary. */
  stop(): Promise<void>
}

export type WorldSettings = {
  /** Absolute. */
  readonly dataDir: string
  /** Whether the directory goes with the process. */
  readonly isTemporary: boolean
  /** The rows of both chains, as `SVC_CHAINS_FILE` wants them. */
  readonly chainsPath: string
  readonly policyPath: string
  /** False when the directory held a policy already, which then stands. */
  readonly policyIsNew: boolean
  /** Since when a pause that an earlier run left stops signing; `null` without one. */
  readonly pausedSince: string | null
  readonly environment: Readonly<Record<string, string>>
}

const clearedNote =
  "The last run's chain is gone: its audit log, operations, spending and breaker are cleared; keys, wallet, policy and a " +
  'pause are kept.'

const keysAlone: AskedWaysIn = { oauth: false, wallets: false, webSocket: false }

const usualRpcPort = 8545
const usualMcpPort = 3000
const usualApiPort = 8080

const walletFunds = { ETH: '100', WETH: '50', USDC: '250000', USDT: '50000', DAI: '50000', WBTC: '2' }

/** Writes the rows of the chains and a policy into the directory; returns the settings of a server on them. */
async function writeSettings(
  { path, privateKey }: WorldDirectory,
  { devnet, other }: { readonly devnet: Devnet; readonly other: OtherChain },
  {
    logLevel,
    dataDir,
    profile = 'full',
    policy = policyOf([devnet, other.devnet]),
  }: Pick<WorldOptions, 'logLevel' | 'dataDir' | 'profile' | 'policy'>,
): Promise<WorldSettings> {
  const [chainsPath, policyPath] = [join(path, 'chains.json'), join(path, 'policy.json')]
  await writePrivate(chainsPath, [withPublicNames(devnet.chain), other.chain])
  const policyIsNew = !(await exists(policyPath))
  if (policyIsNew) await writePrivate(policyPath, policy)
  const environment = {
    NODE_ENV: 'development',
    LOG_LEVEL: logLevel,
    SVC_DATA_DIR: path,
    SVC_CHAINS_FILE: chainsPath,
    SVC_MCP_PROFILE: profile,
    WALLET_TYPE: 'local',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
    [`SVC_RPC_URL_${other.chain.id}`]: other.devnet.rpcUrl,
  }
  const pausedSince = (await readPause({ dataDir: path }))?.since ?? null
  const isTemporary = dataDir === undefined
  return { dataDir: path, isTemporary, chainsPath, policyPath, policyIsNew, pausedSince, environment }
}

/** What stands on both chains may be used on both; cross-chain orders go from either to the other, by the settler on their rows. */
function policyOf(chains: readonly Devnet[]): ReturnType<typeof devnetPolicy> {
  const each = <T>(named: (chain: Devnet) => T) =>
    Object.fromEntries(chains.map((chain) => [`${chain.chainId}`, named(chain)]))
  return devnetPolicy({
    twammHooks: each(({ twamm }) => [{ hook: twamm.hook, pools: [twamm.pool.id] }]),
    vaults: each(({ vaults }) => vaults.map(({ address }) => address)),
    batchDelegate: each(({ batchDelegate }) => batchDelegate),
  })
}

/** Keeps what starts to be stopped with the rest, also where the rest has ended by then. */
type Started = <Part extends { stop(): unknown }>(starting: Promise<Part>) => Promise<Part>

/** What needs the first chain and nothing else, side by side: funds, the other chain, whoever offers orders and fills them, rewards. */
async function startBeside(
  devnet: Devnet,
  wallet: Address,
  { tradingApi = 'v1' }: Pick<WorldOptions, 'tradingApi'>,
  started: Started,
) {
  const [other, orders, rewards] = await Promise.all([
    started(startOtherChain(devnet, wallet)),
    started(startLocalTrading(devnet, tradingApi)),
    started(startLocalRewards(devnet, wallet)),
    devnet.fund(wallet, walletFunds),
  ])
  return { other, orders, rewards }
}

/** A server on these settings that listens on this port; one that cannot has let go of all it opened. */
async function serveOn(port: number, environment: WorldSettings['environment'], tools: WorldOptions['tools']) {
  const config = readConfig({ ...environment, SVC_LISTEN: `127.0.0.1:${port}` })
  const server = await openServer(config, tools === undefined ? {} : { tools })
  try {
    const { url } = await server.listen()
    return { server, url }
  } catch (error) {
    await server.close()
    throw error
  }
}

/** By which the server pins the cards of agents through the support API beside it, and reads them from there. */
function settingsFor({ url, appId }: LocalSupportApi): Readonly<Record<string, string>> {
  return { SVC_API_URL: url, SVC_GATEWAY_URL: url, WALLET_APP_ID: appId, SVC_AGENT_NAME: 'Local agent' }
}

/** A trading API for the local chain, with a filler behind it, and the settings that have the server ask it: for all, or for orders alone. */
async function startLocalTrading(devnet: Devnet, dialect: 'v1' | 'lp') {
  const { startTradingApi } = await import('@svc/devnet/trading-api')
  const apiKey = randomBytes(16).toString('hex')
  const api = await startTradingApi({ chain: devnet.chain, rpcUrl: devnet.rpcUrl, apiKey, fillsAtOnce: true })
  const url = dialect === 'v1' ? api.url : api.lpUrl
  const settings = { SVC_TRADING_API_KEY: apiKey, SVC_TRADING_API_URL: url, SVC_TRADING_API_DIALECT: dialect }
  const orderSettings = { SVC_ORDER_API_KEY: apiKey, SVC_ORDER_API_URL: api.url }
  return { url, settings, ordersUrl: api.url, orderSettings, stop: () => api.stop() }
}

/** Under the id of a public chain the local one takes its place, so it answers to that chain's names as well. */
function withPublicNames(chain: Chain): Chain {
  const replaced = publicChains.find(({ id }) => id === chain.id)
  return replaced === undefined ? chain : { ...chain, aliases: [...chain.aliases, replaced.name, ...replaced.aliases] }
}

async function writePrivate(path: string, content: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Lets the wallet of a local world earn rewards in two tokens, and starts the service that gives the proofs of them. */
async function startLocalRewards(
  devnet: Devnet,
  wallet: Address,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { startRewardsApi } = await import('@svc/devnet/rewards-api')
  await devnet.rewards.add([
    { user: wallet, token: 'USDC', amount: '125', pending: '4.2', reason: 'WETH/USDC v3 0.05 %', campaignId: 2n },
    { user: wallet, token: 'WETH', amount: '0.03', reason: 'ETH/USDC v4 0.05 %', campaignId: 3n },
  ])
  return await startRewardsApi({ devnet })
}
