import * as arbitrum from '@aave-dao/aave-address-book/ChainlinkArbitrum'
import * as avalanche from '@aave-dao/aave-address-book/ChainlinkAvalanche'
import * as base from '@aave-dao/aave-address-book/ChainlinkBase'
import * as bnb from '@aave-dao/aave-address-book/ChainlinkBNB'
import * as celo from '@aave-dao/aave-address-book/ChainlinkCelo'
import * as ethereum from '@aave-dao/aave-address-book/ChainlinkEthereum'
import * as optimism from '@aave-dao/aave-address-book/ChainlinkOptimism'
import * as polygon from '@aave-dao/aave-address-book/ChainlinkPolygon'
import * as zksync from '@aave-dao/aave-address-book/ChainlinkZkSync'
import { chains } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'

// The address book lists Chainlink's aggregators by pair; its adapters with a cap stand elsewhere in it.
const books: readonly Readonly<Record<string, unknown>>[] = [
  arbitrum,
  avalanche,
  base,
  bnb,
  celo,
  ethereum,
  optimism,
  polygon,
  zksync,
]

/** The pair whose aggregator a token may have. A wrapped coin has its own where there is one, else that of the coin. */
const pairs: Readonly<Record<string, readonly string[]>> = {
  WETH: ['ETH__USD'],
  'WETH.e': ['ETH__USD'],
  WBNB: ['BNB__USD'],
  WPOL: ['POL__USD', 'MATIC__USD'],
  WAVAX: ['AVAX__USD'],
  CELO: ['CELO__USD'],
  WBTC: ['WBTC__USD', 'BTC__USD'],
  'WBTC.e': ['WBTC__USD'],
  cbBTC: ['cbBTC__USD'],
  BTCB: ['BTC__USD'],
  USDC: ['USDC__USD'],
  'USDC.e': ['USDC__USD'],
  USDT: ['USDT__USD'],
  USDT0: ['USDT__USD'],
  DAI: ['DAI__USD'],
  'DAI.e': ['DAI__USD'],
}

const redstone = 'redstone-finance/redstone-oracles-monorepo, unichainMultiFeed.json; Compound and Morpho name the same'

/** Feeds of chains that the address book does not cover: who publishes the address. */
const elsewhere: Readonly<Record<number, Readonly<Record<string, { address: string; publishedBy: string }>>>> = {
  130: {
    WETH: { address: '0xe8D9FbC10e00ecc9f0694617075fDAF657a76FB2', publishedBy: redstone },
    WBTC: { address: '0xc44be6D00307c3565FDf753e852Fc003036cBc13', publishedBy: redstone },
    USDC: { address: '0xD15862FC3D5407A03B696548b6902D6464A69b8c', publishedBy: redstone },
    USDT: { address: '0x58fa68A373956285dDfb340EDf755246f8DfCA16', publishedBy: redstone },
    USDT0: { address: '0x58fa68A373956285dDfb340EDf755246f8DfCA16', publishedBy: redstone },
    DAI: { address: '0xE94c9f9A1893f23be38A5C0394E46Ac05e8a5f8C', publishedBy: redstone },
  },
  84532: {
    USDC: { address: '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165', publishedBy: 'VenusProtocol/vips, basesepolia' },
  },
  11155111: {
    USDC: {
      address: '0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E',
      publishedBy: 'compound-finance/comet, sepolia; Venus names the same',
    },
  },
}

/** Sequencer feeds that the address book leaves out. */
const sequencersElsewhere: Readonly<Record<number, { address: string; publishedBy: string }>> = {
  42220: { address: '0x4CD491Dc27C8B0BbD10D516A502856B786939d18', publishedBy: 'docs.chain.link, L2 sequencer feeds' },
}

test('each book is that of a chain of the table', () => {
  const ids = books.map((book) => book['CHAIN_ID'])
  expect(new Set(ids).size).toBe(9)
  expect(chains.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
})

describe.each(chains.map((chain) => [chain.name, chain] as const))('feeds of %s', (_name, chain) => {
  const book = books.find((book) => book['CHAIN_ID'] === chain.id)

  test('are those published for the token', () => {
    for (const { symbol, priceSources } of chain.tokens) {
      if (priceSources?.feed === undefined) continue
      const published = book === undefined ? [elsewhere[chain.id]?.[symbol]?.address] : addressesOf(book, symbol)
      expect([symbol, published]).toEqual([symbol, expect.arrayContaining([priceSources.feed.address])])
    }
  })

  test('name the sequencer where a feed of it is published', () => {
    const published = book?.['L2_Sequencer_Uptime_Status_Feed'] ?? sequencersElsewhere[chain.id]?.address
    expect(chain.sequencerUptimeFeed).toEqual(
      published === undefined ? undefined : { address: published, graceSeconds: 3600 },
    )
  })
})

test('what is published elsewhere is in use', () => {
  for (const [id, feeds] of Object.entries(elsewhere)) {
    const { tokens } = chains.find((chain) => chain.id === Number(id)) ?? { tokens: [] }
    const used = tokens.filter(({ priceSources }) => priceSources?.feed !== undefined).map(({ symbol }) => symbol)
    expect(used.toSorted()).toEqual(Object.keys(feeds).toSorted())
  }
})

function addressesOf(book: Readonly<Record<string, unknown>>, symbol: string): readonly unknown[] {
  return (pairs[symbol] ?? []).map((pair) => book[pair]).filter((address) => address !== undefined)
}
