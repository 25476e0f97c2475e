import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { connect } from './chain/chain-client.ts'
import type { Devnet } from './devnet.ts'
import { priceFeed } from './contracts.gen.ts'
import { useDevnet } from './use-devnet.ts'

const address = '0x00000000000000000000000000000000000A11cE'
const stranger = '0x0000000000000000000000000000000000057abc'
const devnet = useDevnet()
const same = useDevnet()
const tooEarly = (() => {
  try {
    return devnet().rpcUrl
  } catch (error) {
    return String(error)
  }
})()
const balance = async () => await connect(devnet().rpcUrl).getBalance({ address })
let otherPid = 0
let atFirst: Awaited<ReturnType<typeof standing>> | null = null

test('a chain asked for before the tests run says why there is none', () => {
  expect(tooEarly).toContain('starts in beforeAll')
})

test('calls with the same options share a chain', () => {
  expect(same()).toBe(devnet())
})

test.each(['first', 'second'])('the %s test finds the chain as it was before any', async () => {
  expect(await balance()).toBe(0n)
  await devnet().fund(address, { ETH: '1' })
  expect(await balance()).toBe(10n ** 18n)
})

describe('other options', () => {
  const other = useDevnet({ chainId: 5 })

  test('get a chain of their own', async () => {
    otherPid = other().pid
    atFirst = await standing(other())
    expect(other().chainId).toBe(5)
    expect(otherPid).not.toBe(devnet().pid)
    expect(await connect(other().rpcUrl).getChainId()).toBe(5)
  })

  afterAll(async () => await changeAll(other()))
})

describe.each(['later', 'later still'])('whoever asks for them %s', () => {
  const other = useDevnet({ chainId: 5 })

  test('gets the same process as it was at its start, at a present of its own', async () => {
    const client = connect(other().rpcUrl)
    expect(other().pid).toBe(otherPid)
    expect(await standing(other())).toEqual(atFirst)
    for (const _ of [1, 2]) await other().fund(address, { USDC: '1' })
    const head = await client.getBlockNumber()
    for (const blockNumber of [head, head - 1n, head - 2n]) {
      const { timestamp } = await client.getBlock({ blockNumber })
      expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(60)
    }
  })

  afterAll(async () => await changeAll(other()))
})

describe.each([
  ['ends its process', async (chain: Devnet) => await chain.stop()],
  [
    'mines more blocks than anvil keeps at hand',
    async (chain: Devnet) => await connect(chain.rpcUrl).mine({ blocks: 401 }),
  ],
])('after a file that %s', (_, act) => {
  describe('which is served like any', () => {
    const other = useDevnet({ chainId: 5 })

    test('by the process that is there', () => {
      expect(other().pid).toBe(otherPid)
    })

    afterAll(async () => await act(other()))
  })

  describe('the next', () => {
    const other = useDevnet({ chainId: 5 })

    test('is served by another', async () => {
      expect(other().pid).not.toBe(otherPid)
      otherPid = other().pid
      expect(await standing(other())).toEqual(atFirst)
    })
  })
})

/** All of a chain that is the same after each start. */
async function standing(chain: Devnet) {
  const client = connect(chain.rpcUrl)
  const { number, gasLimit } = await client.getBlock()
  return {
    head: { number, gasLimit },
    fees: (await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })).baseFeePerGas.at(-1),
    balance: await client.getBalance({ address }),
    before: await client.getBalance({ address, blockNumber: number - 1n }),
    code: await client.getCode({ address }),
    waiting: await client.getTxpoolStatus(),
    minesAtOnce: await client.getAutomine(),
    signsFor: await client.request({ method: 'eth_accounts' }),
    signsForAll: await client
      .request({ method: 'eth_sendTransaction', params: [{ from: stranger, to: address }] })
      .then(
        () => true,
        (error: Error) => !error.message.includes('No Signer available'),
      ),
    market: chain.market.prices(),
    answer: await client
      .readContract({ address: chain.feeds.ETH.address, abi: priceFeed.abi, functionName: 'latestRoundData' })
      .then((round) => round[1]),
  }
}

/** As the worst of the files might leave it. */
async function changeAll(chain: Devnet): Promise<void> {
  const client = connect(chain.rpcUrl)
  // As deep as it goes: anvil forgets the states of the blocks that it takes away.
  await client.request({ method: 'anvil_reorg', params: [1, []] })
  await chain.fund(stranger, { ETH: '1' })
  await chain.fund(address, { ETH: '1' })
  await chain.market.move({ ETH: 1.1 })
  chain.feeds.ETH.stop()
  await client.setCode({ address, bytecode: '0x00' })
  await client.setBlockGasLimit({ gasLimit: 60_000_000n })
  await client.mine({ blocks: 1 })
  await client.setIntervalMining({ interval: 3_600 })
  await client.request({
    method: 'eth_sendTransaction',
    params: [{ from: chain.accounts[0]!.address, to: address, value: '0x1' }],
  })
  await client.impersonateAccount({ address })
  await client.request({ method: 'anvil_autoImpersonateAccount', params: [true] })
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 11n })
  await client.setBlockTimestampInterval({ interval: 100_000 })
  await client.increaseTime({ seconds: 50_000 })
  await client.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(Date.now() / 1_000)) + 100_000n })
  const changed: Readonly<Record<string, unknown>> = await standing(chain)
  const same = Object.entries(atFirst ?? {}).filter(([name, value]) => isDeepStrictEqual(value, changed[name]))
  expect(same.map(([name]) => name)).toEqual([])
}
