import {
  type Address,
  concat,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  keccak256,
  pad,
  zeroAddress,
  zeroHash,
} from 'viem'
import type { Roles, Sponsors } from '../accounts.ts'
import { initCodeConstant } from '../artifacts.ts'
import { batchDelegate, crossChainSettler as settler, twammHook } from '../contracts.gen.ts'
import { feedSpecs, type FeedSymbol, type Asset, tokenSpecs, type TokenSymbol } from './token-specs.ts'

/**
 * Where everything stands on the local chain. One account deploys in one order, so each address follows from its place
 * in that order and no address is ever read back from the chain.
 */
export function createLayout({ roles, sponsors }: Pick<Layout, 'roles' | 'sponsors'>): Layout {
  const at = (index: number) => getContractAddress({ from: roles.deployer, nonce: BigInt(index) })
  const contracts = Object.fromEntries(contractOrder.map((name, index) => [name, at(index)])) as Layout['contracts']
  // WETH, the first token, is among the contracts; the others follow them.
  const tokens = Object.fromEntries(
    tokenSpecs.map(({ symbol }, i) => [symbol, i === 0 ? contracts.weth9 : at(contractOrder.length + i - 1)]),
  ) as Layout['tokens']
  const afterTokens = contractOrder.length + tokenSpecs.length - 1
  const agents = Object.fromEntries(
    agentContractOrder.map((name, index) => [name, at(afterTokens + index)]),
  ) as Layout['agents']
  const afterAgents = afterTokens + agentContractOrder.length
  const feeds = Object.fromEntries(feedOrder.map((name, index) => [name, at(afterAgents + index)])) as Layout['feeds']
  const afterFeeds = afterAgents + feedOrder.length
  const rewardDistributor = at(afterFeeds)
  const vaults = Object.fromEntries(
    vaultSpecs.map(({ key }, index) => [key, at(afterFeeds + 1 + index)]),
  ) as Layout['vaults']
  const assets: Layout['assets'] = { ...tokens, ETH: zeroAddress }
  const pools = poolSpecs.map((spec) => placePool(spec, { contracts, assets, hooks: zeroAddress }))
  const hook = getContractAddress({
    opcode: 'CREATE2',
    from: create2Factory,
    salt: twammHookSalt,
    bytecode: twammInitCode(contracts),
  })
  const orderReactor = getContractAddress({
    opcode: 'CREATE2',
    from: create2Factory,
    salt: zeroHash,
    bytecode: orderReactorInitCode(roles),
  })
  const crossChainSettler = getContractAddress({
    opcode: 'CREATE2',
    from: create2Factory,
    salt: zeroHash,
    bytecode: crossChainSettlerInitCode(roles),
  })
  const twamm = { hook, pool: placePool(twammPoolSpec, { contracts, assets, hooks: hook }) }
  return {
    roles,
    sponsors,
    contracts,
    tokens,
    agents,
    feeds,
    rewardDistributor,
    orderReactor,
    crossChainSettler,
    vaults,
    assets,
    pools,
    twamm,
  }
}

/** The factory that anvil deploys at genesis, as it stands on public chains. */
export const create2Factory: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/**
 * The least one with which the hook's address says what it is asked for: beforeInitialize, beforeAddLiquidity,
 * beforeRemoveLiquidity and beforeSwap, and nothing else (v4-core Hooks library). The test of this file names another when the
 * hook's code has changed.
 */
export const twammHookSalt: Hex = pad('0xc9b9')

export function twammInitCode({ poolManager }: Pick<Layout['contracts'], 'poolManager'>): Hex {
  return concat([twammHook.bytecode, pad(poolManager)])
}

/** The settlement of UniswapX orders of the second Dutch form, as its publisher compiled it; the deployer may set its fees, and sets none. */
export function orderReactorInitCode({ deployer }: Pick<Roles, 'deployer'>): Hex {
  const file = 'dist/cjs/src/contracts/factories/V2DutchOrderReactor__factory.js'
  return concat([initCodeConstant('@uniswap/uniswapx-sdk', file, '_bytecode'), pad(permit2Address), pad(deployer)])
}

/** Our own settlement of cross-chain orders, at one address on every local chain; the deployer carries its messages. */
export function crossChainSettlerInitCode({ deployer }: Pick<Roles, 'deployer'>): Hex {
  return concat([settler.bytecode, pad(deployer)])
}

export const contractOrder = [
  'weth9',
  'v2Factory',
  'v2Router',
  'v3Factory',
  'nftDescriptor',
  'v3PositionDescriptor',
  'v3PositionManager',
  'swapRouter02',
  'quoterV2',
  'tickLens',
  'poolManager',
  'stateView',
  'v4Quoter',
  'v4PositionDescriptor',
  'v4PositionManager',
  'universalRouter',
  'arbitrageur',
] as const

export type ContractName = (typeof contractOrder)[number]

/** What agents are registered and sponsored with. Deployed after the tokens, so that they moved nothing. */
export const agentContractOrder = ['identityRegistry', 'handleRegistry', 'paymaster'] as const

export type AgentContractName = (typeof agentContractOrder)[number]

/** The aggregators that prices are read from, one for each feed. Deployed after the agents' contracts, so that they moved nothing. */
export const feedOrder: readonly FeedName[] = [...feedSpecs.map(({ symbol }) => symbol), 'sequencer']

export type FeedName = FeedSymbol | 'sequencer'

/** ERC-4626 vaults, deployed after the distributor of rewards. What the first lends to stands beside it as a vault of its own. */
export const vaultSpecs = [
  { key: 'USDC', token: 'USDC', name: 'Agent USDC vault', symbol: 'avUSDC', cap: '2000000' },
  { key: 'WETH', token: 'WETH', name: 'Agent WETH vault', symbol: 'avWETH', cap: null },
  { key: 'lending', token: 'USDC', name: 'USDC lending', symbol: 'lendUSDC', cap: null },
] as const

export type VaultKey = (typeof vaultSpecs)[number]['key']

export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
export const permit2Address: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
/** EntryPoint 0.8 of ERC-4337, and the account that an address is delegated to (EIP-7702) when it is sponsored. */
export const entryPointAddress: Address = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108'
export const simple7702AccountAddress: Address = '0xe6Cae83BdE06E4c305530e199D7217f42808555B'

/** The contract that a wallet delegates to (EIP-7702) to make several calls as one: at this address on every chain with the factory. */
export const batchDelegateAddress: Address = getContractAddress({
  opcode: 'CREATE2',
  from: create2Factory,
  salt: zeroHash,
  bytecode: batchDelegate.bytecode,
})

/** Hash of a pool's init code, canonical on every chain: routers and SDKs derive pool addresses from it. */
export const pairInitCodeHash: Hex = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'
export const poolInitCodeHash: Hex = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54'

export type Layout = {
  readonly roles: Roles
  readonly sponsors: Sponsors
  readonly contracts: Readonly<Record<ContractName, Address>>
  readonly tokens: Readonly<Record<TokenSymbol, Address>>
  readonly agents: Readonly<Record<AgentContractName, Address>>
  readonly feeds: Readonly<Record<FeedName, Address>>
  /** Deployed after the feeds, and the vaults after it. */
  readonly rewardDistributor: Address
  readonly orderReactor: Address
  readonly crossChainSettler: Address
  readonly vaults: Readonly<Record<VaultKey, Address>>
  /** Tokens, and the zero address for the native currency. */
  readonly assets: Readonly<Record<Asset, Address>>
  readonly pools: readonly PlacedPool[]
  /** A hook for orders that are sold over time, and its pool, which stands beside the others. */
  readonly twamm: { readonly hook: Address; readonly pool: PlacedPool }
}

export type PlacedPool = PoolSpec & {
  /** Pair or pool address; for v4 the 32-byte PoolId. */
  readonly id: Hex
  readonly asset0: Asset
  readonly asset1: Asset
  readonly token0: Address
  readonly token1: Address
  /** The zero address without hooks. */
  readonly hooks: Address
}

const poolKeyParameters = [
  { type: 'address' },
  { type: 'address' },
  { type: 'uint24' },
  { type: 'int24' },
  { type: 'address' },
] as const

type Placing = Pick<Layout, 'contracts' | 'assets'> & Pick<PlacedPool, 'hooks'>

function placePool(spec: PoolSpec, { contracts, assets, hooks }: Placing): PlacedPool {
  const sorted = assets[spec.base].toLowerCase() < assets[spec.quote].toLowerCase()
  const [asset0, asset1] = sorted ? [spec.base, spec.quote] : [spec.quote, spec.base]
  const [token0, token1] = [assets[asset0], assets[asset1]]
  const placed = { ...spec, asset0, asset1, token0, token1, hooks }
  return { ...placed, id: poolId(placed, contracts) }
}

function poolId({ token0, token1, hooks, ...spec }: Omit<PlacedPool, 'id'>, contracts: Layout['contracts']): Hex {
  if (spec.version === 'v4') {
    return keccak256(encodeAbiParameters(poolKeyParameters, [token0, token1, spec.fee, spec.tickSpacing ?? 0, hooks]))
  }
  const isPair = spec.version === 'v2'
  const salt = isPair
    ? keccak256(concat([token0, token1]))
    : keccak256(
        encodeAbiParameters([{ type: 'address' }, { type: 'address' }, { type: 'uint24' }], [token0, token1, spec.fee]),
      )
  return getContractAddress({
    opcode: 'CREATE2',
    from: isPair ? contracts.v2Factory : contracts.v3Factory,
    salt,
    bytecodeHash: isPair ? pairInitCodeHash : poolInitCodeHash,
  })
}

/** The pools of the local chain: what they hold, who keeps them in line with the market, how much is traded in them. */
const poolSpecs: readonly PoolSpec[] = [
  volatile('v3', 'WETH', 'USDC', 100, { tvlUsd: 1_500_000, bandBps: 1, perHour: 0.3, meanUsd: 60_000 }),
  volatile('v3', 'WETH', 'USDC', 500, { tvlUsd: 14_000_000, bandBps: 5, perHour: 1, meanUsd: 200_000 }),
  volatile('v3', 'WETH', 'USDC', 3_000, { tvlUsd: 9_000_000, bandBps: 30, perHour: 0.5, meanUsd: 50_000 }),
  volatile('v3', 'WETH', 'USDC', 10_000, { tvlUsd: 350_000, bandBps: 60, perHour: 0.1, meanUsd: 600 }),
  volatile('v2', 'WETH', 'USDC', 3_000, { tvlUsd: 4_000_000, bandBps: 30, perHour: 0.4, meanUsd: 25_000 }),
  volatile('v4', 'WETH', 'USDC', 500, { tvlUsd: 3_000_000, bandBps: 5, perHour: 0.3, meanUsd: 90_000 }),
  volatile('v4', 'ETH', 'USDC', 500, { tvlUsd: 6_000_000, bandBps: 5, perHour: 0.5, meanUsd: 130_000 }),
  volatile('v3', 'DAI', 'WETH', 3_000, { tvlUsd: 1_200_000, bandBps: 30, perHour: 0.15, meanUsd: 15_000 }),
  volatile('v3', 'WBTC', 'WETH', 3_000, { tvlUsd: 5_000_000, bandBps: 30, perHour: 0.3, meanUsd: 40_000 }),
  volatile('v3', 'WBTC', 'WETH', 500, { tvlUsd: 400_000, bandBps: 5, perHour: 0.1, meanUsd: 15_000 }),
  stable('v3', 'USDC', 'USDT', { tvlUsd: 8_000_000, perHour: 0.6, meanUsd: 500_000 }),
  stable('v3', 'DAI', 'USDC', { tvlUsd: 4_000_000, perHour: 0.3, meanUsd: 300_000 }),
  stable('v4', 'USDC', 'USDT', { tvlUsd: 2_000_000, perHour: 0.15, meanUsd: 150_000 }),
  oddity('v2', 'FOT', 'WETH', 3_000, { tvlUsd: 60_000, perHour: 0.05, meanUsd: 300 }),
  oddity('v3', 'HOSTILE', 'USDC', 10_000, { tvlUsd: 20_000, perHour: 0.03, meanUsd: 150 }),
]

/** The pool of the TWAMM hook. Arbitrage looks after it; what is traded in it are its orders. */
const twammPoolSpec: PoolSpec = volatile('v4', 'WETH', 'USDC', 3_000, {
  tvlUsd: 2_500_000,
  bandBps: 30,
  perHour: 0,
  meanUsd: 0,
})

type PoolSpec = {
  readonly version: 'v2' | 'v3' | 'v4'
  /** The label reads base/quote; the pool sorts them by address. */
  readonly base: Asset
  readonly quote: Asset
  /** Hundredths of a basis point. */
  readonly fee: number
  /** `null` for v2. */
  readonly tickSpacing: number | null
  readonly tvlUsd: number
  /** How the liquidity is spread; a width is the half width of the range in percent of the price, `null` the full range. */
  readonly ranges: readonly { readonly widthPct: number | null; readonly share: number }[]
  /** Arbitrage keeps the price within this of the market; `null` for tokens without a market price. */
  readonly bandBps: number | null
  /** Trades by people: how many an hour on average, and of what mean size. */
  readonly perHour: number
  readonly meanUsd: number
}

type Shape = {
  readonly tvlUsd: number
  readonly perHour: number
  readonly meanUsd: number
  readonly bandBps?: number
}

function volatile(version: PoolSpec['version'], base: Asset, quote: Asset, fee: number, shape: Shape): PoolSpec {
  return spec(version, base, quote, fee, shape, [
    { widthPct: null, share: 0.2 },
    { widthPct: 60, share: 0.35 },
    { widthPct: 30, share: 0.3 },
    { widthPct: 12, share: 0.15 },
  ])
}

function stable(version: PoolSpec['version'], base: Asset, quote: Asset, shape: Shape): PoolSpec {
  return spec(version, base, quote, 100, { bandBps: 1, ...shape }, [
    { widthPct: 2, share: 0.3 },
    { widthPct: 0.5, share: 0.5 },
    { widthPct: 0.1, share: 0.2 },
  ])
}

function oddity(version: PoolSpec['version'], base: Asset, quote: Asset, fee: number, shape: Shape): PoolSpec {
  return spec(version, base, quote, fee, shape, [{ widthPct: null, share: 1 }])
}

function spec(
  version: PoolSpec['version'],
  base: Asset,
  quote: Asset,
  fee: number,
  shape: Shape,
  ranges: PoolSpec['ranges'],
): PoolSpec {
  const tickSpacing = version === 'v2' ? null : spacingOf(fee)
  const { tvlUsd, perHour, meanUsd, bandBps = null } = shape
  return { version, base, quote, fee, tickSpacing, tvlUsd, perHour, meanUsd, ranges, bandBps }
}

/** The spacings the v3 factory ties to its fees, 1, 10, 60 and 200; v4 pools here follow the same habit. */
function spacingOf(fee: number): number {
  return fee === 100 ? 1 : fee / 50
}
