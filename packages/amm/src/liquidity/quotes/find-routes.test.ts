import { type Chain, type ChainToken, chains } from '@svc/wallet/core'
import { type Address, getAddress, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import type { ReadPorts } from '../../ports.ts'
import { middleTokens } from './find-routes.ts'

const tokenOf = (address: Address, symbol: string) => ({
  address,
  symbol,
  name: symbol,
  decimals: 18,
  isNative: address === zeroAddress,
  listed: true,
  usdPegged: false,
})
const strangerAt = (index: number) => getAddress(`0x${'5'.repeat(38)}${10 + index}`)

/** Between two tokens that no list knows: what is asked about at first, and what only where that leads nowhere. */
async function middlesOf(chain: Chain) {
  const tokens = {
    wrapped: ({ wrappedNative }: Chain) => tokenOf(wrappedNative.address, wrappedNative.symbol),
    byAddress: async (_: Chain, address: Address) =>
      tokenOf(address, chain.tokens.find((row) => row.address === address)?.symbol ?? chain.nativeCurrency.symbol),
  }
  const [tokenIn, tokenOut] = [tokenOf(strangerAt(80), 'A'), tokenOf(strangerAt(81), 'B')]
  const versions = ['v2', 'v3', 'v4'] as const
  const found = await middleTokens({ tokens } as object as ReadPorts, chain, { tokenIn, tokenOut, versions })
  return found.map((middles) => middles.map(({ token }) => token.symbol))
}

test('a dollar that a chain lists eighth is asked about before the seven above it', async () => {
  const base = chains.find(({ id }) => id === 8_453)!
  const row = base.tokens.find(({ usdPegged }) => usdPegged !== true)!
  const dollar = base.tokens.find(({ usdPegged }) => usdPegged === true)!
  const strangers = Array.from({ length: 7 }, (_, index): ChainToken => {
    return { ...row, symbol: `S${index}`, address: strangerAt(index) }
  })
  const [first, rest] = await middlesOf({ ...base, tokens: [...strangers, dollar] })
  expect(first).toEqual(['WETH', 'ETH', dollar.symbol, 'S0', 'S1', 'S2', 'S3'])
  expect(rest).toEqual(['S4', 'S5', 'S6'])
})

test.each(chains)('on $name native currency and all its dollars are among the first', async (chain) => {
  const [first] = await middlesOf(chain)
  const dollars = chain.tokens.filter(({ usdPegged }) => usdPegged === true).map(({ symbol }) => symbol)
  expect(first).toEqual(expect.arrayContaining([chain.wrappedNative.symbol, ...dollars]))
  expect(first!.length).toBeLessThanOrEqual(7)
})

test('on Polygon ether, which much of its trading is against, is among them, too', async () => {
  const [first] = await middlesOf(chains.find(({ id }) => id === 137)!)
  expect(first).toEqual(['WPOL', 'POL', 'USDC', 'USDC.e', 'USDT', 'DAI', 'WETH'])
})
