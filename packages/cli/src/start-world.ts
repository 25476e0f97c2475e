import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startDevnet, type Devnet } from '@svc/devnet'
import { devnetPolicy, openServer, provisionKeys, readConfig, type ApiKeys } from '@svc/tool-server'
import { portFor } from './port-for.ts'
import { openWorldDirectory, type WorldDirectory } from './world-directory.ts'

/**
 * Brings up a whole local world: chain, funded wallet, MCP server. Port 0 is any free one; without a port the usual one is
 * taken when it is free. Without `dataDir` the state lives in a temporary directory that `stop` removes. Rejects when a part does
 * not start, after stopping what did.
 */
export async function startWorld(options: WorldOptions): Promise<World> {
  const closers: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close()
  }
  try {
    const directory = await openWorldDirectory(options.dataDir)
    closers.push(() => directory.dispose())
    const devnet = await startDevnet({
      rpcPort: await portFor(options.rpcPort, usualRpcPort),
      chainId: options.chainId,
      onProgress: options.onProgress,
    })
    closers.push(() => devnet.stop())
    await devnet.fund(directory.walletAddress, walletFunds)
    const environment = await writeSettings(directory, devnet, await portFor(options.mcpPort, usualMcpPort))
    const keys = provisionKeys(readConfig(environment), randomBytes)
    const server = await openServer(readConfig(environment))
    closers.push(() => server.close())
    const { url } = await server.listen()
    return { devnet, stop, ready: readyLine(devnet, url, keys, directory.walletAddress) }
  } catch (error) {
    await stop()
    throw error
  }
}

export type WorldOptions = {
  /** `undefined`: the usual port, or any free one when that is taken. */
  readonly rpcPort: number | undefined
  readonly mcpPort: number | undefined
  readonly chainId: number
  readonly dataDir: string | undefined
  readonly onProgress: (line: string) => void
}

export type World = {
  readonly devnet: Devnet
  readonly ready: ReadyLine
  /** Ends server and chain, and removes what was temporary. */
  stop(): Promise<void>
}

/** The one line that `svc up --json` prints. */
export type ReadyLine = {
  readonly ready: true
  readonly mcp: { readonly url: string; readonly keys: Readonly<Record<keyof ApiKeys, string>> }
  readonly rpc: { readonly url: string; readonly chainId: number }
  readonly wallet: { readonly address: string }
  readonly tokens: readonly Pick<Devnet['tokens'][number], 'symbol' | 'address' | 'decimals'>[]
  readonly pools: Devnet['pools']
}

const usualRpcPort = 8545
const usualMcpPort = 3000

const walletFunds = { ETH: '100', WETH: '50', USDC: '250000', USDT: '50000', DAI: '50000', WBTC: '2' }

/** Writes policy and chain row into the directory; returns the settings of a server on them. */
async function writeSettings(
  { path, privateKey }: WorldDirectory,
  devnet: Devnet,
  mcpPort: number,
): Promise<Readonly<Record<string, string>>> {
  const chainsFile = join(path, 'chains.json')
  await writePrivate(chainsFile, [devnet.chain])
  await writePrivate(join(path, 'policy.json'), devnetPolicy())
  return {
    NODE_ENV: 'development',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    SVC_DATA_DIR: path,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: `127.0.0.1:${mcpPort}`,
    SVC_MCP_PROFILE: 'full',
    WALLET_TYPE: 'local',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
  }
}

async function writePrivate(path: string, content: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
}

function readyLine(devnet: Devnet, url: string, keys: ApiKeys, wallet: string): ReadyLine {
  return {
    ready: true,
    mcp: {
      url,
      keys: { read: keys.read.reveal(), feedback: keys.feedback.reveal(), write: keys.write.reveal() },
    },
    rpc: { url: devnet.rpcUrl, chainId: devnet.chainId },
    wallet: { address: wallet },
    tokens: devnet.tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals })),
    pools: devnet.pools,
  }
}
