import { type Address, type Hex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { awaitReceipt } from '../chain/chain-client.ts'
import { connect } from '../chain/chain-client.ts'
import { priceFeed } from '../contracts.gen.ts'
import { openWallet } from '../open-wallet.fixture.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)

/** Chainlink's interface word for word: what a reader of public feeds compiles against. */
const aggregatorV3Abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function version() view returns (uint256)',
  'function getRoundData(uint80 _roundId) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const firstPhase = 1n << 64n

describe('the deployed feeds', () => {
  it.each([
    ['ETH', 'ETH / USD', 3_000],
    ['BTC', 'BTC / USD', 90_000],
    ['USDC', 'USDC / USD', 1],
    ['USDT', 'USDT / USD', 1],
    ['DAI', 'DAI / USD', 1],
  ] as const)('%s says what it is, in 8 decimals', async (symbol, description, usd) => {
    const feed = { address: devnet().feeds[symbol].address, abi: aggregatorV3Abi } as const
    expect(await client().readContract({ ...feed, functionName: 'description' })).toBe(description)
    expect(await client().readContract({ ...feed, functionName: 'decimals' })).toBe(8)
    expect(await client().readContract({ ...feed, functionName: 'version' })).toBe(1n)
    const [, answer] = await client().readContract({ ...feed, functionName: 'latestRoundData' })
    expect(Math.abs(Number(answer) / 1e8 / usd - 1)).toBeLessThan(0.002)
  })

  it('the sequencer has been up since the chain was seeded, two hours ago or more', async () => {
    const feed = { address: devnet().sequencer.address, abi: aggregatorV3Abi } as const
    expect(await client().readContract({ ...feed, functionName: 'decimals' })).toBe(0)
    const [, answer, startedAt] = await client().readContract({ ...feed, functionName: 'latestRoundData' })
    expect(answer).toBe(0n)
    expect(Number((await client().getBlock()).timestamp) - Number(startedAt)).toBeGreaterThan(3_600)
  })
})

describe('a feed of its own', () => {
  it('has no data before the first answer', async () => {
    const address = await deploy()
    const read = { address, abi: aggregatorV3Abi } as const
    await expect(client().readContract({ ...read, functionName: 'latestRoundData' })).rejects.toThrow('No data present')
    for (const id of [0n, 1n, firstPhase, firstPhase + 1n, 2n ** 80n - 1n]) {
      const round = client().readContract({ ...read, functionName: 'getRoundData', args: [id] })
      await expect(round).rejects.toThrow('No data present')
    }
  })

  it('keeps every round, with the time of its block or the time that was named', async () => {
    const address = await deploy()
    const receipts = [await post(address, 3_000n), await post(address, -5n, 77n), await post(address, 2n ** 191n - 1n)]
    const times = await Promise.all(
      receipts.map(async ({ blockNumber }) => (await client().getBlock({ blockNumber })).timestamp),
    )
    const round = (number: bigint, answer: bigint, time: bigint) => {
      const id = firstPhase + number
      return [id, answer, time, time, id]
    }
    const rounds = [round(1n, 3_000n, times[0]!), round(2n, -5n, 77n), round(3n, 2n ** 191n - 1n, times[2]!)]
    const read = { address, abi: aggregatorV3Abi } as const
    for (const [id] of rounds) {
      const kept = await client().readContract({ ...read, functionName: 'getRoundData', args: [id!] })
      expect(kept).toEqual(rounds.find(([each]) => each === id))
    }
    expect(await client().readContract({ ...read, functionName: 'latestRoundData' })).toEqual(rounds[2])
    const logs = await client().getContractEvents({
      address,
      abi: priceFeed.abi,
      eventName: 'AnswerUpdated',
      fromBlock: 0n,
    })
    expect(logs.map(({ args }) => [args.roundId, args.current, args.updatedAt])).toEqual(
      rounds.map(([id, answer, time]) => [id, answer, time]),
    )
  })

  it('takes answers of its feeder alone, and none that an aggregator could not hold', async () => {
    const address = await deploy()
    const [, other] = devnet().accounts
    const call = { address, abi: priceFeed.abi, functionName: 'post' } as const
    const foreign = client().simulateContract({ ...call, args: [1n, 0n], account: other!.address })
    await expect(foreign).rejects.toThrow('NotFeeder')
    const large = client().simulateContract({ ...call, args: [2n ** 191n, 0n], account: owner().address })
    await expect(large).rejects.toThrow('AnswerTooLarge')
  })
})

const owner = () => privateKeyToAccount(devnet().accounts[0]!.privateKey)

async function deploy(): Promise<Address> {
  const wallet = openWallet(devnet(), devnet().accounts[0]!.privateKey)
  const hash = await wallet.deployContract({ ...priceFeed, args: [8, 'X / USD', owner().address] })
  const { contractAddress } = await awaitReceipt(client(), hash)
  return contractAddress!
}

async function post(address: Address, answer: bigint, updatedAt = 0n) {
  const wallet = openWallet(devnet(), devnet().accounts[0]!.privateKey)
  const args = [answer, updatedAt] as const
  const hash: Hex = await wallet.writeContract({ address, abi: priceFeed.abi, functionName: 'post', args })
  return await awaitReceipt(client(), hash)
}
