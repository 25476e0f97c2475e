import { createRequire } from 'node:module'
import * as tokenlist from '@aave-dao/aave-address-book/tokenlist'
import { type Chain, chains, type ChainToken } from '@svc/wallet/core'
import { type Address, type Chain as ViemChain, isAddressEqual, zeroAddress } from 'viem'
import * as viemChains from 'viem/chains'
import { usdc } from 'viem/tokens'
import { describe, expect, test } from 'vitest'

// Every address of every row is held against a package of somebody else, here or by the test that is named: what none that installs names, stands in
// no row. Identity registries stand in none either: identity-registries.test.ts holds them against agent0-sdk.

const require = createRequire(import.meta.url)
const { WETH9 }: { WETH9: Record<number, Listed> } = require('@uniswap/sdk-core')
const { tokens: uniswapTokens }: { tokens: readonly Listed[] } = require('@uniswap/default-token-list')
const {
  UNIVERSAL_ROUTER_ADDRESS,
}: { UNIVERSAL_ROUTER_ADDRESS: (version: string, id: number) => Address } = require('@uniswap/universal-router-sdk')
const { PERMIT2_MAPPING, REACTOR_ADDRESS_MAPPING }: Orders = require('@uniswap/uniswapx-sdk')
const { TOKEN_SYMBOLS_MAP }: { TOKEN_SYMBOLS_MAP: Record<string, Bridged> } = require('@across-protocol/constants')
const {
  tokens: yodlTokens,
}: { tokens: readonly Listed[] } = require('@yodlpay/tokenlists/dist/tokenlist-generated.json')

type Listed = {
  readonly chainId: number
  readonly address: string
  readonly symbol: string
  readonly decimals: number
}
/** A token by the chains that a bridge knows it on. */
type Bridged = {
  readonly symbol: string
  readonly decimals: number
  readonly addresses: Readonly<Record<string, string>>
}
type Rewards = { readonly Merkl?: { readonly Distributor?: string } }
type Orders = {
  readonly PERMIT2_MAPPING: Readonly<Record<number, Address>>
  readonly REACTOR_ADDRESS_MAPPING: Readonly<Record<number, { readonly Dutch_V2: Address }>>
}

const bridgedTokens: readonly Listed[] = Object.values(TOKEN_SYMBOLS_MAP).flatMap(({ addresses, symbol, decimals }) =>
  Object.entries(addresses).map(([chainId, address]) => ({ symbol, decimals, chainId: Number(chainId), address })),
)

/** By the path of an address within its row: what is published for it. */
const published: readonly (readonly [RegExp, (chain: Chain, path: string) => readonly (string | undefined)[]])[] = [
  [/^multicall3$/, ({ id }) => [viemChainOf(id)?.contracts?.multicall3?.address]],
  [/^permit2$/, ({ id }) => [PERMIT2_MAPPING[id]]],
  [/^rewardDistributor$/, ({ id }) => [distributorOn(id)]],
  [/^orderReactor$/, ({ id }) => [REACTOR_ADDRESS_MAPPING[id]?.Dutch_V2]],
  [/^amm\.universalRouter\.address$/, ({ id, amm }) => [UNIVERSAL_ROUTER_ADDRESS(versionOf(amm), id)]],
  [/^tokens\.\w+(\.e)?\.address$/, (chain, path) => listedAs(chain, tokenAt(chain, path))],
  [/^wrappedNative\.address$/, ({ tokens: [first] }) => [first?.address]],
  // A pool is of a token of its own row, or of the native currency.
  [/\.pools\.\d\.quote$/, ({ tokens }) => [zeroAddress, ...tokens.map(({ address }) => address)]],
]

/** The package has a file a chain; those that are missing here have none, or one without rewards. */
const rewardFiles: Readonly<Record<number, string>> = {
  1: 'mainnet',
  10: 'optimism',
  56: 'bsc',
  137: 'polygon',
  8453: 'base',
  42161: 'arbitrum',
  43114: 'avalanche',
}

const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^amm\.v[234]\.\w+$/, 'packages/wallet/src/chains.test.ts, against @uniswap/sdk-core'],
  [/\.feed\.address$|^sequencerUptimeFeed\./, 'test/price-feeds.test.ts, against the address book'],
  [/\.pools\.\d\.id$/, 'packages/amm/src/prices/named-sources.test.ts, by factory, tokens and fee'],
]

describe.each(chains.map((chain) => [chain.name, chain] as const))('addresses of %s', (_name, chain) => {
  test('are each held against a package', () => {
    expect(addressesOf(chain).filter(({ path, address }) => !isHeld(chain, path, address))).toEqual([])
  })
})

test('an address of a role that nobody has thought of is held by nothing', () => {
  const [chain] = chains as readonly [Chain]
  const strange = { ...chain, amm: { ...chain.amm, newVault: { address: chain.permit2 } } }
  const unheld = addressesOf(strange).filter(({ path, address }) => !isHeld(strange, path, address))
  expect(unheld.map(({ path }) => path)).toEqual(['amm.newVault.address'])
})

test.each(chains.map((chain) => [chain.name, chain] as const))(
  'an address of %s that is not the published one is held by nothing',
  (_name, chain) => {
    const other = '0x00000000000000000000000000000000000000Aa'
    const roles = addressesOf(chain).filter(({ path }) => !elsewhere.some(([pattern]) => pattern.test(path)))
    expect(roles.filter(({ path }) => isHeld(chain, path, other))).toEqual([])
  },
)

test('a distributor of rewards stands in a row where a package names one for that chain, and nowhere else', () => {
  const [withOne, named] = [chains.filter(({ rewardDistributor }) => rewardDistributor), Object.keys(rewardFiles)]
  expect(withOne.map(({ id }) => `${id}`).toSorted()).toEqual(named.toSorted())
})

function isHeld(chain: Chain, path: string, address: Address): boolean {
  if (elsewhere.some(([pattern]) => pattern.test(path))) return true
  const [, of] = published.find(([pattern]) => pattern.test(path)) ?? [null, () => []]
  return of(chain, path).some((one) => one !== undefined && isAddressEqual(one as Address, address))
}

/** Every address that stands somewhere in a row, in the order of the row; tokens by their symbols. */
function addressesOf(value: unknown, path = ''): readonly { readonly path: string; readonly address: Address }[] {
  if (typeof value === 'string') return /^0x[0-9a-fA-F]{40}$/.test(value) ? [{ path, address: value as Address }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    const name = path === 'tokens' ? (member as ChainToken).symbol : key
    return addressesOf(member, path === '' ? name : `${path}.${name}`)
  })
}

function distributorOn(id: number): string | undefined {
  const file = rewardFiles[id]
  if (file === undefined) return undefined
  const { default: row }: { default: Rewards } = require(
    `@angleprotocol/sdk/dist/constants/contracts_addresses/${file}.js`,
  )
  return row.Merkl?.Distributor
}

function tokenAt({ tokens }: Chain, path: string): ChainToken {
  return tokens.find(({ symbol }) => path === `tokens.${symbol}.address`)!
}

/** What is listed under the token's symbol, with its decimals, on its chain. */
function listedAs({ id }: Chain, { symbol, decimals }: ChainToken): readonly string[] {
  const lists = [
    ...uniswapTokens,
    ...tokenlist.tokens,
    ...bridgedTokens,
    ...yodlTokens,
    ...(WETH9[id] === undefined ? [] : [WETH9[id]]),
  ]
  const own = lists.filter((one) => one.chainId === id && one.decimals === decimals)
  const found = own.filter((one) => bareSymbol(one.symbol) === bareSymbol(symbol)).map(({ address }) => address)
  const circle: Readonly<Record<number, string>> = usdc.addresses
  return [...found, ...(symbol === 'USDC' && circle[id] !== undefined ? [circle[id]] : [])]
}

/** Publishers name the bridge or not, and Polygon's coin as it is or as it was. */
function bareSymbol(symbol: string): string {
  const bare = symbol
    .replace('₮', 'T')
    .toUpperCase()
    .replace(/\.E$|0$/, '')
  return bare === 'WMATIC' ? 'WPOL' : bare
}

function versionOf({ universalRouter }: Chain['amm']): string {
  return universalRouter?.version ?? '2.0'
}

function viemChainOf(id: number): ViemChain | undefined {
  const all: readonly ViemChain[] = Object.values(viemChains)
  return all.find((one) => one.id === id)
}
