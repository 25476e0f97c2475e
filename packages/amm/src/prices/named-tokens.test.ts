import { type Chain, chains, type ChainToken, type ReferencePool } from '@svc/wallet/core'
import { type Address, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { v2PairAddress, v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { poolIdOf } from '../liquidity/v4/pool-key.ts'
import { type ConfirmedSources, createNamedTokens } from './named-tokens.ts'

const mainnet = chains.find(({ id }) => id === 1)!
const weth = mainnet.wrappedNative
const usdc = listed('USDC')
const stranger: Address = '0x00000000000000000000000000000000000000aa'
const token = { address: '0x00000000000000000000000000000000000000bb', decimals: 9 } as const
const { v2, v3 } = mainnet.amm
const nobody: ConfirmedSources = () => undefined

const row = (change: Partial<ReferencePool> = {}): ReferencePool => {
  const pool = { version: 'v3', quote: usdc.address, fee: 500, ...change } as const
  return { ...pool, id: v3PoolAddress(v3!, ...sorted(token.address, pool.quote), pool.fee), ...change }
}

describe('createNamedTokens', () => {
  it('leads from the token through the quotes of its pools, as far as they have named sources', () => {
    const chain = chainOf({ WETH: { pools: [poolOf(weth.address, usdc.address)] }, USDC: {} })
    const named = createNamedTokens((_, address) =>
      address === token.address ? { pools: [row({ quote: weth.address })] } : undefined,
    )
    const found = named(chain, token)
    expect(found.map(({ key, usdPegged }) => [key, usdPegged])).toEqual([
      [token.address, false],
      [weth.address.toLowerCase(), false],
      [usdc.address.toLowerCase(), true],
    ])
    expect(found[0]?.pools[0]).toMatchObject({ quoteKey: weth.address.toLowerCase(), fault: null })
    expect(found[0]?.pools[0]?.side).toEqual({ tokenIs0: true, tokenDecimals: 9, quoteDecimals: 18 })
  })

  it('ends where quotes lead in a circle', () => {
    const [one, other] = [listed('USDC'), listed('USDT')]
    const chain = chainOf({
      USDC: { pools: [poolOf(one.address, other.address)] },
      USDT: { pools: [poolOf(other.address, one.address)] },
    })
    expect(createNamedTokens(nobody)(chain, one)).toHaveLength(2)
  })

  it('knows nothing of a token without named sources, and a dollar by its peg', () => {
    const chain = chainOf({})
    expect(createNamedTokens(nobody)(chain, token)).toEqual([])
    expect(createNamedTokens(nobody)(chain, weth)).toEqual([])
    expect(createNamedTokens(nobody)(chain, usdc)).toMatchObject([{ usdPegged: true, pools: [], feed: undefined }])
  })

  it('puts what was confirmed in place of the row, feed and pools', () => {
    const feed = { address: stranger, heartbeatSeconds: 60, deviationBps: 1, decimals: 8 }
    const chain = chainOf({ WETH: { feed, pools: [poolOf(weth.address, usdc.address)] } })
    const [confirmed] = createNamedTokens((id, address) =>
      id === 1 && address === weth.address ? { pools: [] } : undefined,
    )(chain, weth)
    expect(confirmed).toMatchObject({ feed: undefined, pools: [] })
  })

  it('knows v4 pools of native currency on either side', () => {
    const key = { currency0: zeroAddress, fee: 500, tickSpacing: 10, hooks: zeroAddress } as const
    const shape = { version: 'v4', fee: 500, tickSpacing: 10 } as const
    const ofEther = { ...shape, id: poolIdOf({ ...key, currency1: usdc.address }), quote: usdc.address, native: true }
    const against = { ...shape, id: poolIdOf({ ...key, currency1: token.address }), quote: zeroAddress }
    const chain = chainOf({ WETH: { pools: [ofEther] } })
    const [ether] = createNamedTokens(nobody)(chain, weth)
    expect(ether?.pools[0]).toMatchObject({ fault: null, token: zeroAddress, side: { tokenIs0: true } })
    const [own] = createNamedTokens((_, address) => (address === token.address ? { pools: [against] } : undefined))(
      chain,
      token,
    )
    expect(own?.pools[0]).toMatchObject({
      fault: null,
      quoteKey: weth.address.toLowerCase(),
      side: { tokenIs0: false },
    })
  })

  it.each<readonly [string, ReferencePool, string | null]>([
    ['right', row(), null],
    [
      'right, of v2',
      row({ version: 'v2', fee: 3_000, id: v2PairAddress(v2!, ...sorted(token.address, usdc.address)) }),
      null,
    ],
    ['of another fee', { ...row(), fee: 3_000 }, 'id'],
    ['of another version', { ...row(), version: 'v2' }, 'id'],
    ['of another quote', { ...row(), quote: weth.address }, 'id'],
    ['against an unlisted token', row({ quote: stranger }), 'not listed'],
    ['against itself', { ...row(), quote: token.address }, 'not listed'],
    ['of native currency in v3', { ...row(), native: true }, 'pair of tokens'],
    ['of v4 without a spacing', { ...row(), version: 'v4' }, 'not deployed'],
  ])('a row that is %s', (_what, pool, fault) => {
    const confirmed: ConfirmedSources = (_, address) => (address === token.address ? { pools: [pool] } : undefined)
    const [named] = createNamedTokens(confirmed)(chainOf({}), token)
    expect(named?.pools[0]?.fault ?? 'none').toContain(fault ?? 'none')
  })

  it('keeps its own sources where the policy says no more than between which prices it is expected', () => {
    const own = poolOf(weth.address, usdc.address)
    const chain = chainOf({ WETH: { pools: [own] }, USDC: {} })
    const expected = { lowE18: 1n, highE18: 2n }
    const named = (sources: NonNullable<ReturnType<ConfirmedSources>>) =>
      createNamedTokens((_, address) => (address === weth.address ? sources : undefined))(chain, weth)[0]
    expect(named({ pools: [], expected })).toMatchObject({ pools: [{ row: own }], expected })
    const other = { ...own, fee: 3_000 }
    expect(named({ pools: [other] })).toMatchObject({ pools: [{ row: other }], expected: null })
    // Whoever names nothing at all wants none.
    expect(named({ pools: [] })).toMatchObject({ pools: [] })
  })
})

function listed(symbol: string): ChainToken {
  return mainnet.tokens.find((one) => one.symbol === symbol)!
}

function sorted(one: Address, other: Address): readonly [Address, Address] {
  return BigInt(one) < BigInt(other) ? [one, other] : [other, one]
}

function poolOf(of: Address, quote: Address): ReferencePool {
  return { version: 'v3', id: v3PoolAddress(v3!, ...sorted(of, quote), 500), quote, fee: 500 }
}

/** Ethereum with these sources and no others. */
function chainOf(sources: Readonly<Record<string, ChainToken['priceSources']>>): Chain {
  const bare = ({ symbol, name, address, decimals, usdPegged = false }: ChainToken): ChainToken => {
    const priceSources = sources[symbol]
    return { symbol, name, address, decimals, usdPegged, ...(priceSources && { priceSources }) }
  }
  return { ...mainnet, wrappedNative: bare(weth), tokens: mainnet.tokens.map(bare) }
}
