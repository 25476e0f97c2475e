import { type Devnet, startDevnet } from '@svc/devnet'
import { createServer } from 'node:net'
import type { AuthorizationServer } from '@svc/devnet/authorization-server'
import type { Address } from 'viem'

/**
 * The support API on the local chain: a stand-in for the wallet provider that knows one app, and a faucet with an account of
 * its own. It stops by its `stop`; what did start is stopped when a part does not.
 */
export async function startSupportApi(options: SupportApiOptions): Promise<LocalSupportApi> {
  const { devnet, dataDir, chainsPath, logLevel } = options
  const [{ openSupportApi, readConfig }, { startIdentityProvider }, { generatePrivateKey, privateKeyToAddress }] =
    await loadParts()
  const privateKey = generatePrivateKey()
  await devnet.fund(privateKeyToAddress(privateKey), { ETH: faucetEther })
  const provider = await startIdentityProvider({ appIds: [appId] })
  try {
    // The service names its own address in its answers, so it has to know the port before it listens.
    const config = readConfig({
      LOG_LEVEL: logLevel,
      SVC_LISTEN: `127.0.0.1:${options.port === 0 ? await freePort() : options.port}`,
      SVC_DATA_DIR: dataDir,
      SVC_CHAINS_FILE: chainsPath,
      [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
      SVC_IDENTITY_PROVIDER_URL: provider.url,
      SVC_FAUCET_PRIVATE_KEY: privateKey,
      SVC_FAUCET_CHAINS: String(devnet.chainId),
      SVC_FAUCET_PER_APP_DAY: '1000',
      SVC_FAUCET_PER_NETWORK_DAY: '1000',
      SVC_PAGE_APP_ID: appId,
    })
    const api = await openSupportApi(config)
    const stop = async (): Promise<void> => {
      await api.close(lastAnswersMs)
      await provider.stop()
    }
    const { url } = await api.listen().catch(async (error: unknown) => {
      await api.close(0)
      throw error
    })
    return { url, appId, stop }
  } catch (error) {
    await provider.stop()
    throw error
  }
}

/** Loads what the support API is made of, ahead of its start if asked: it takes a while. */
export async function loadParts() {
  return Promise.all([import('@svc/support-api'), import('@svc/devnet/identity-provider'), import('viem/accounts')])
}

export type SupportApiOptions = {
  readonly devnet: Devnet
  /** Its state stands in a directory in there. */
  readonly dataDir: string
  /** The chain's row, as `SVC_CHAINS_FILE` wants it. */
  readonly chainsPath: string
  /** 0 is any free one. */
  readonly port: number
  readonly logLevel: string
}

export type LocalSupportApi = { readonly url: string; readonly appId: string; stop(): Promise<void> }

const appId = 'svc-local'
/** Enough for a hundred thousand wallets. */
const faucetEther = '1000'
const lastAnswersMs = 500

/**
 * The port a flag asks for, 0 being any free one; without the flag `usual` when it is free on loopback, else any. Throws
 * when the port asked for cannot be had, naming the flag.
 */
export async function choosePort(flag: string, asked: number | undefined, usual: number): Promise<ChosenPort> {
  const wish = { flag, asked, usual }
  const port = asked ?? usual
  if (port === 0) return { ...wish, port, taken: null }
  const obstacle = await obstacleTo(port)
  if (obstacle === null) return { ...wish, port, taken: null }
  if (asked === undefined) return { ...wish, port: 0, taken: usual }
  const reason = obstacle === 'EADDRINUSE' ? 'another program listens there' : `the system refuses it (${obstacle})`
  throw new Error(`${flag} ${port} cannot be had: ${reason}. Choose another, or 0 for any free one.`)
}

/**
 * Starts what listens on a port that was chosen a while ago, or, where another program has taken that meanwhile, on one that is
 * chosen anew. Throws what `start` throws where the port is not why, and as `choosePort` does.
 */
export async function startOnPort<T>(
  chosen: ChosenPort,
  start: (port: number) => Promise<T>,
): Promise<{ readonly started: T; readonly taken: number | null }> {
  try {
    return { started: await start(chosen.port), taken: chosen.taken }
  } catch (error) {
    const { port, taken } = await choosePort(chosen.flag, chosen.asked, chosen.usual)
    if (port === chosen.port) throw error
    return { started: await start(port), taken }
  }
}

type ChosenPort = {
  /** 0 is any free one. */
  readonly port: number
  /** The usual one where it could not be had. */
  readonly taken: number | null
  readonly flag: string
  readonly asked: number | undefined
  readonly usual: number
}

/** One that is free now, for what has to know its port before it listens. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** The system's code for why nothing can listen on this port of loopback. */
function obstacleTo(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(null)))
  })
}

/**
 * The ways in beside the keys that a local world is asked for: an authorization server beside it, wallets that sign in, WebSocket. Throws where the
 * package of the authorization server is not installed.
 */
export async function openWaysIn({ oauth, wallets, webSocket }: AskedWaysIn, chainId: number): Promise<WaysIn> {
  const server = oauth ? await startServer() : null
  return {
    settings: {
      ...(server !== null && { SVC_OAUTH_ISSUERS: `${server.issuer} ES256` }),
      ...(wallets && { SVC_SIWE_CHAIN: `${chainId}` }),
      ...(webSocket && { SVC_WEBSOCKET: 'on' }),
    },
    readyAt: (url) => ({
      ...(server !== null && { oauth: readyOf(server) }),
      ...(wallets && { signIn: { url: new URL('/auth/siwe', url).href, chainId } }),
      ...(webSocket && { webSocket: { url: url.replace(/^http/, 'ws') } }),
    }),
    stop: async () => server?.stop(),
  }
}

export type AskedWaysIn = { readonly oauth: boolean; readonly wallets: boolean; readonly webSocket: boolean }

type WaysIn = {
  /** Those of the MCP server that open them. */
  readonly settings: Readonly<Record<string, string>>
  /** What a world that is up says of them, its MCP server being at this URL. */
  readonly readyAt: (url: string) => ReadyWaysIn
  stop(): Promise<void>
}

export type ReadyWaysIn = {
  /** The authorization server, with a client for machines and one for people. */
  readonly oauth?: Omit<AuthorizationServer, 'stop'>
  /** Where wallets sign in, and of which chain they are. */
  readonly signIn?: { readonly url: string; readonly chainId: number }
  readonly webSocket?: { readonly url: string }
}

async function startServer(): Promise<AuthorizationServer> {
  const [{ startAuthorizationServer }, { scopes }] = await Promise.all([
    import('@svc/devnet/authorization-server'),
    import('@svc/engine'),
  ])
  return startAuthorizationServer({ scopes })
}

function readyOf({ issuer, tokenUrl, machine, program }: AuthorizationServer): Omit<AuthorizationServer, 'stop'> {
  return { issuer, tokenUrl, machine, program }
}

/**
 * The chain at the other end of cross-chain orders: the contracts and pools of the first without their past, at the same prices, and a
 * relayer that fills between the two. The wallet holds gas on it and no token, so that what arrives is seen. What did start is
 * stopped when a part does not.
 */
export async function startOtherChain(first: Devnet, wallet: Address): Promise<OtherChain> {
  // Ids of local chains: those of public ones would make what is signed here valid there.
  const chainId = first.chainId === 31_338 ? 31_337 : 31_338
  const devnet = await startDevnet({ chainId, history: false, prices: first.market.prices() })
  try {
    await devnet.fund(wallet, { ETH: '10' })
    const { startRelayer } = await import('@svc/devnet/relayer')
    const relayer = await startRelayer(first, devnet)
    const stop = async () => {
      await relayer.stop()
      await devnet.stop()
    }
    // Nobody quotes or fills orders on it.
    const { orderReactor: _, ...chain } = devnet.chain
    return { devnet, chain: { ...chain, name: 'local-2', aliases: [] }, stop }
  } catch (error) {
    await devnet.stop()
    throw error
  }
}

export type OtherChain = Pick<Devnet, 'chain'> & { readonly devnet: Devnet; stop(): Promise<void> }
