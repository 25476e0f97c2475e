import type { Devnet } from '@svc/devnet'
import type { Chain, ChainToken, PriceSources, ReferencePool } from '@svc/wallet/core'
import { type Address, zeroAddress } from 'viem'
import { patientRpc } from '../../../engine/src/fixtures/patience.fixture.ts'
import { createLiquidityReads } from '../liquidity/create-liquidity-reads.ts'
import { createRpcPool } from '../rpc/create-rpc-pool.ts'
import { createTokenDirectory } from '../tokens/create-token-directory.ts'
import { createPriceSource, type PriceSourceOptions } from './create-price-source.ts'
import { createNamedTokens } from './named-tokens.ts'

/**
 * Prices of the local chain with the sources a test names: feeds, and pools by their labels, such as `v3 WETH/USDC 0.05 %`.
 * Blocks are taken to come once a minute, and `passTime` lets them. Requests are counted; the endpoint may lose the state
 * of older blocks.
 */
export function createPricedDevnet(devnet: Devnet, options: PricedOptions = {}) {
  const { named = {}, keptBlocks = 0, ...rest } = options
  const network = { requests: [] as string[], losesPast: false, losesLogs: false }
  const sourcesOf = (symbol: string): { priceSources?: PriceSources } => {
    const sources = named[symbol]
    if (sources === undefined) return {}
    const pools = (sources.pools ?? []).map((pool) => (typeof pool === 'string' ? poolRow(devnet, symbol, pool) : pool))
    return { priceSources: { ...sources, pools } }
  }
  const row = ({ symbol, name, address, decimals, usdPegged = false }: ChainToken): ChainToken => ({
    symbol,
    name,
    address,
    decimals,
    usdPegged,
    ...sourcesOf(symbol),
  })
  const chain: Chain = {
    ...devnet.chain,
    blockTimeSeconds: minute,
    wrappedNative: row(devnet.chain.wrappedNative),
    tokens: devnet.chain.tokens.map(row),
    ...options.chain,
  }
  const fetchWithoutPast = createFetchWithoutPast(BigInt(keptBlocks))
  const counted: typeof fetch = (input, init) => {
    const text = textOf(init)
    network.requests.push(text)
    if (network.losesLogs && text.includes('"eth_getLogs"')) return Promise.resolve(new Response(null, { status: 403 }))
    return network.losesPast ? fetchWithoutPast(input, init) : fetch(input, init)
  }
  const rpc = createRpcPool({ urls: () => [devnet.rpcUrl], now: Date.now, fetch: counted, ...patientRpc })
  const tokens = createTokenDirectory({ chains: [chain], rpc })
  const reads = createLiquidityReads({ rpc, tokens })
  const prices = createPriceSource({ rpc, tokens, liquidity: reads, pickInt: () => 0, ...rest })
  const addressOf = (symbol: string): Address =>
    devnet.tokens.find((token) => token.symbol === symbol)?.address ?? zeroAddress
  const token = (symbol: string) => tokens.byAddress(chain, addressOf(symbol))
  const usd = async (symbol: string) => prices.usd(chain, await token(symbol))
  return {
    chain,
    network,
    rpc,
    reads,
    prices,
    namedTokens: createNamedTokens(rest.confirmed ?? (() => undefined)),
    byAddress: (at: typeof chain, address: Address) => tokens.byAddress(at, address),
    addressOf,
    token,
    usd,
    /** The band of a token that must have one, with its edges in dollars. */
    band: async (symbol: string) => {
      const price = await usd(symbol)
      if (price === null || price.band === null) throw new Error(`${symbol} has no band: ${price?.doubt}`)
      const [low, high] = [Number(price.band.lowE18) / 1e18, Number(price.band.highE18) / 1e18]
      return { ...price.band, low, high, said: saidBy(price.band) }
    },
    /** A block every minute. */
    passTime: async (minutes: number) => {
      const { timestamp } = await rpc.head(chain)
      for (let at = 1; at <= minutes; at += 1) await devnet.mineTo(Number(timestamp) + at * minute)
    },
    pool: (label: string) => poolOf(devnet, label),
  }
}

export type PricedDevnet = ReturnType<typeof createPricedDevnet>

export type PricedOptions = Partial<
  Pick<PriceSourceOptions, 'memory' | 'confirmed' | 'pickInt' | 'pushBudgetUsd' | 'leastLiquidityUsd'>
> & {
  /** How many blocks before the newest an endpoint that loses its past still has the state of; none when absent. */
  readonly keptBlocks?: number
  /** By symbol. */
  readonly named?: Readonly<
    Record<string, Omit<PriceSources, 'pools'> & { readonly pools?: readonly (string | ReferencePool)[] }>
  >
  readonly chain?: Partial<Chain>
}

const minute = 60

/** The row of a pool for one of its tokens. */
export function poolRow(devnet: Devnet, symbol: string, label: string): ReferencePool {
  const { version, id, token0, token1, fee, tickSpacing } = poolOf(devnet, label)
  const isNative = symbol === 'WETH' && [token0, token1].includes(zeroAddress)
  const own = isNative ? zeroAddress : devnet.tokens.find((token) => token.symbol === symbol)?.address
  const row = { version, id, quote: token0 === own ? token1 : token0, fee }
  return { ...row, ...(version === 'v4' && { tickSpacing: tickSpacing ?? 0, ...(isNative && { native: true }) }) }
}

function poolOf(devnet: Devnet, label: string) {
  const pool = devnet.pools.find((one) => `${one.version} ${one.label}` === label)
  if (pool === undefined) throw new Error(`The local chain has no pool ${label}`)
  return pool
}

/** What each source said, for a test to look at: its name without the address, whether it counts, and why. */
function saidBy({ witnesses }: { readonly witnesses: readonly { source: string; counts: boolean; note: string }[] }) {
  return witnesses.map(({ source, counts, note }) => `${source.replace(/ 0x.*/, '')}${counts ? '' : ' (not)'}: ${note}`)
}

function textOf(init: RequestInit | undefined): string {
  return typeof init?.body === 'string' ? init.body : ''
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** An endpoint that answers calls of the newest block it was ever asked for and of so many before, and has lost the state of the others. */
export function createFetchWithoutPast(keptBlocks = 0n): typeof fetch {
  let newest = 0n
  return async (input, init) => {
    const asked = [JSON.parse(textOf(init)) as Call | Call[]].flat()
    const numberOf = ({ method, params: [, at] }: Call) =>
      method === 'eth_call' && String(at).startsWith('0x') ? BigInt(String(at)) : null
    newest = asked.map(numberOf).reduce<bigint>((most, one) => (one !== null && one > most ? one : most), newest)
    const isLost = (call: Call) => (numberOf(call) ?? newest) < newest - keptBlocks
    const error = { code: -32_000, message: 'missing trie node' }
    const lost = asked.filter(isLost).map(({ id }) => ({ jsonrpc: '2.0', id, error }))
    if (lost.length === asked.length) return Response.json(lost)
    const body = JSON.stringify(asked.filter((call) => !isLost(call)))
    const reported: unknown = await (await fetch(input, { ...init, body })).json()
    return Response.json([...[reported].flat(), ...lost])
  }
}
