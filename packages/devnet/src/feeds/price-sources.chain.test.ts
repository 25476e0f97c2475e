import { type Address, encodeAbiParameters, type Hex, keccak256, parseAbi, parseAbiParameters, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { connect } from '../chain/chain-client.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)

test('every listed token has a feed, and pools as they were chosen for it', () => {
  const { tokens, wrappedNative } = devnet().chain
  const symbolOf = (address: Address) => tokens.find((token) => token.address === address)?.symbol
  const sources = tokens.map(({ symbol, priceSources }) => [
    symbol,
    devnet().pools.length > 0 &&
      Object.entries(devnet().feeds).find(([, { address }]) => address === priceSources?.feed?.address)?.[0],
    (priceSources?.pools ?? []).map(
      ({ version, quote, fee, native = false }) => `${version} ${symbolOf(quote)} ${fee}${native ? ' native' : ''}`,
    ),
  ])
  expect(sources).toEqual([
    ['WETH', 'ETH', ['v3 USDC 500', 'v3 USDC 3000', 'v2 USDC 3000', 'v4 USDC 500 native']],
    ['USDC', 'USDC', []],
    ['USDT', 'USDT', ['v3 USDC 100']],
    ['DAI', 'DAI', ['v3 USDC 100']],
    ['WBTC', 'BTC', ['v3 WETH 3000']],
  ])
  expect(wrappedNative).toEqual(tokens[0])
})

test('feeds bear what the rows say of them, and pools stand where the factories put them', async () => {
  const { tokens, amm } = devnet().chain
  for (const { address: token, priceSources } of tokens) {
    const { address, decimals, heartbeatSeconds } = priceSources!.feed!
    const abi = parseAbi(['function decimals() view returns (uint8)'])
    expect(await client().readContract({ address, abi, functionName: 'decimals' })).toBe(decimals)
    expect(heartbeatSeconds).toBe(86_400)
    for (const { version, id, quote, fee, tickSpacing, native } of priceSources!.pools ?? []) {
      const ids: Record<typeof version, () => Promise<Hex>> = {
        v2: async () =>
          await client().readContract({
            address: amm.v2!.factory,
            abi: parseAbi(['function getPair(address, address) view returns (address)']),
            functionName: 'getPair',
            args: [token, quote],
          }),
        v3: async () =>
          await client().readContract({
            address: amm.v3!.factory,
            abi: parseAbi(['function getPool(address, address, uint24) view returns (address)']),
            functionName: 'getPool',
            args: [token, quote, fee],
          }),
        v4: async () => {
          const [currency0, currency1] = [native ? zeroAddress : token, quote]
          const types = parseAbiParameters('address, address, uint24, int24, address')
          return keccak256(encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing!, zeroAddress]))
        },
      }
      expect(id).toBe(await ids[version]())
    }
  }
  const down = devnet().chain.sequencerUptimeFeed!
  expect(down).toEqual({ address: devnet().sequencer.address, graceSeconds: 3_600 })
})
