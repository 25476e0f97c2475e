import { createRequire } from 'node:module'
import { getAddress, type Address } from 'viem'
import { describe, expect, test } from 'vitest'
import { chains } from './chains.ts'
import { canonical } from './chain.ts'
import { chainFacts } from './open-chain.ts'

// The publisher's own table is the oracle. Where it is wrong or silent, the exception stands below with its reason.
const require = createRequire(import.meta.url)
const published: {
  CHAIN_TO_ADDRESSES_MAP: Record<number, Record<string, string>>
  V2_FACTORY_ADDRESSES: Record<number, string>
  V2_ROUTER_ADDRESSES: Record<number, string>
  SWAP_ROUTER_02_ADDRESSES: (id: number) => string
  WETH9: Record<number, { address: string }>
} = require('@uniswap/sdk-core')

const first = {
  // Published here as `quoterAddress` is the first Quoter, and no TickLens; the deployment pages have both.
  quoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  tickLens: '0xbfd8137f7d1516D3ea5cA83523914859ec47F573',
}
const corrections: Record<number, Partial<Record<'quoterV2' | 'tickLens' | 'swapRouter02', string>>> = {
  1: first,
  10: first,
  137: first,
  42161: first,
  // Published is another, larger contract than the QuoterV2 of the deployment page.
  130: { quoterV2: '0x385A5cf5F83e99f7BB2852b6A19C3538b9FA7658' },
  // Published is the fallback, Ethereum's address.
  42220: { swapRouter02: '0x5615CDAb10dc425a742d643d949a7F474C01abc4' },
}

const same = (address: string | undefined): Address => getAddress(address ?? '')

test('covers eleven mainnets and two testnets, each once', () => {
  expect(chains.filter((chain) => !chain.testnet).map((chain) => chain.id)).toEqual([
    1, 10, 56, 130, 137, 324, 8453, 42161, 42220, 43114, 81457,
  ])
  expect(chains.filter((chain) => chain.testnet).map((chain) => chain.id)).toEqual([84532, 11155111])
})

test('the faucet serves the testnets, registrations are sponsored on Base, and no chain of the table is local', () => {
  const idsOf = (member: 'faucet' | 'sponsored' | 'local') => chains.filter((row) => row[member]).map(({ id }) => id)
  expect([idsOf('faucet'), idsOf('sponsored'), idsOf('local')]).toEqual([[84532, 11155111], [8453], []])
})

test('a subgraph stands in one row, for a version that is deployed there', () => {
  const places = chains.flatMap((row) =>
    Object.entries(row.subgraphs ?? {}).map(([version, id]) => ({ row, version, id })),
  )
  expect(new Set(places.map(({ id }) => id)).size).toBe(places.length)
  for (const { row, version, id } of places) {
    expect(row.amm).toHaveProperty(version)
    expect(id).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/)
  }
})

test('rewards are claimed at one address, on every mainnet for which a package that installs names it', () => {
  const shared = '0x3Ef3D8bA38EBe18DB133cEc108f4D14CE00Dd9Ae'
  const named = chains.filter(({ rewardDistributor }) => rewardDistributor !== undefined)
  expect(new Set(named.map(({ rewardDistributor }) => rewardDistributor))).toEqual(new Set([shared]))
  expect(named.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([1, 10, 56, 137, 8453, 42161, 43114])
})

test('no name, alias or id means two chains', () => {
  const names = chains.flatMap((chain) => [String(chain.id), chain.name, ...chain.aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/)
})

describe.each(chains.map((chain) => [chain.name, chain] as const))('%s', (_name, chain) => {
  const row = published.CHAIN_TO_ADDRESSES_MAP[chain.id]!

  test('v3 as published', () => {
    const { poolInitCodeHash, ...contracts } = chain.amm.v3!
    expect(contracts).toEqual({
      factory: same(row['v3CoreFactoryAddress']),
      positionManager: same(row['nonfungiblePositionManagerAddress']),
      swapRouter02: same(corrections[chain.id]?.swapRouter02 ?? published.SWAP_ROUTER_02_ADDRESSES(chain.id)),
      quoterV2: same(corrections[chain.id]?.quoterV2 ?? row['quoterAddress']),
      tickLens: same(corrections[chain.id]?.tickLens ?? row['tickLensAddress']),
    })
    expect(poolInitCodeHash === canonical.poolInitCodeHash).toBe(chain.id !== 324)
  })

  test('v2 as published, or absent where factory or router is', () => {
    const factory = published.V2_FACTORY_ADDRESSES[chain.id]
    const router = published.V2_ROUTER_ADDRESSES[chain.id]
    expect(chain.amm.v2).toEqual(
      factory !== undefined && router !== undefined
        ? { factory: same(factory), router: same(router), pairInitCodeHash: canonical.pairInitCodeHash }
        : undefined,
    )
  })

  test('v4 as published, or absent', () => {
    expect(chain.amm.v4).toEqual(
      row['v4PoolManagerAddress'] === undefined
        ? undefined
        : {
            poolManager: same(row['v4PoolManagerAddress']),
            positionManager: same(row['v4PositionManagerAddress']),
            stateView: same(row['v4StateView']),
            quoter: same(row['v4QuoterAddress']),
          },
    )
  })

  test('wrapped native token as published and among the tokens', () => {
    // Celo's native currency is itself the token, so nothing is published as its wrapper.
    expect(chain.wrappedNative.address).toBe(
      same(published.WETH9[chain.id]?.address ?? '0x471EcE3750Da237f93B8E339c536989b8978a438'),
    )
    expect(chain.tokens[0]).toEqual(chain.wrappedNative)
    expect(chain.wrappedNative.decimals).toBe(chain.nativeCurrency.decimals)
  })

  test('no symbol and no address means two tokens', () => {
    const symbols = chain.tokens.map((token) => token.symbol.toLowerCase())
    const addresses = chain.tokens.map((token) => token.address)
    expect(new Set(symbols).size).toBe(symbols.length)
    expect(new Set(addresses).size).toBe(addresses.length)
    for (const token of chain.tokens) expect(token.decimals).toBeLessThanOrEqual(18)
  })

  test('a dollar token and no other is marked as pegged', () => {
    for (const token of chain.tokens) expect(token.usdPegged === true).toBe(/usd|dai/i.test(token.symbol))
    expect(chain.tokens.some((token) => token.usdPegged)).toBe(true)
  })

  test('every address carries its checksum', () => {
    for (const address of JSON.stringify(chain).match(/0x[0-9a-fA-F]{40}(?=")/g) ?? []) {
      expect(address).toBe(getAddress(address))
    }
  })

  test('no contract stands in two roles', () => {
    const { v2, v3, v4, universalRouter } = chain.amm
    const roles = [v2?.factory, v2?.router, v3?.factory, v3?.positionManager, v3?.swapRouter02, v3?.quoterV2]
    roles.push(v3?.tickLens, v4?.poolManager, v4?.positionManager, v4?.stateView, v4?.quoter)
    roles.push(universalRouter?.address, chain.multicall3, chain.permit2, chain.rewardDistributor)
    roles.push(...chain.tokens.map((token) => token.address))
    const filled = roles.filter((role) => role !== undefined)
    expect(new Set(filled).size).toBe(filled.length)
    expect(chain.multicall3).not.toBe(same(row['multicallAddress']))
  })

  test('endpoints and figures make sense', () => {
    expect(chain.publicRpcUrls.length).toBeGreaterThan(0)
    for (const url of [...chain.publicRpcUrls, chain.explorerUrl]) expect(new URL(url!).protocol).toBe('https:')
    expect(chain.confirmations).toBeGreaterThan(0)
    expect(chain.maxHeadAgeSeconds!).toBeGreaterThan(chain.blockTimeSeconds * 5)
    expect(chain.logRangeBlocks).toBeGreaterThanOrEqual(1000)
  })
})

test('a chain without a row is a local one only under the id that local nodes take', () => {
  expect(chainFacts(31_337)).toMatchObject({ name: 'chain-31337', local: true })
  expect(chainFacts(5)).toMatchObject({ name: 'chain-5', local: false })
})
