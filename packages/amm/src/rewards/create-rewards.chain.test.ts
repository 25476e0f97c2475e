import { type RewardsApi, startRewardsApi } from '@svc/devnet/rewards-api'
import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, encodeFunctionData, erc20Abi, http, parseAbi, type PublicClient } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWallet } from '../../../devnet/src/open-wallet.fixture.ts'
import { createRpcPool } from '../rpc/index.ts'
import { createRewards } from './create-rewards.ts'

const devnet = useDevnet()
let api: RewardsApi
let client: PublicClient

beforeAll(async () => {
  api = await startRewardsApi({ devnet: devnet() })
  client = createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
})
afterAll(() => api.stop())

const rewards = () =>
  createRewards({
    rpc: createRpcPool({ urls: () => [devnet().rpcUrl], now: Date.now }),
    chains: [devnet().chain],
    url: api.url,
  })

test('what it says a claim would pay is what the distributor pays, to the unit, before and after a claim', async () => {
  const { address: wallet, privateKey } = devnet().accounts[0]!
  const claimable = async () => (await rewards().claimable({ chain: devnet().chain, wallet })).rewards
  for (const amount of ['0.000001', '250']) {
    await devnet().rewards.add([
      { user: wallet, token: 'USDC', amount, reason: 'Trading', campaignId: 2n },
      { user: wallet, token: 'WBTC', amount: '0.5', pending: '1', reason: 'Holding', campaignId: 3n },
    ])
    const due = await claimable()
    expect(due.map(({ doubt, pending }) => [doubt, pending])).toEqual([
      [null, 0n],
      [null, 100_000_000n],
    ])
    const balances = () =>
      Promise.all(
        due.map(({ token }) =>
          client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
        ),
      )
    const before = await balances()
    const data = encodeFunctionData({
      abi: parseAbi(['function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)']),
      args: [
        due.map(() => wallet),
        due.map(({ token }) => token),
        due.map(({ earned }) => earned),
        due.map(({ proof }) => proof),
      ],
    })
    const { distributor } = devnet().rewards
    await awaitReceipt(client, await openWallet(devnet(), privateKey).sendTransaction({ to: distributor, data }))
    const after = await balances()
    expect(after.map((held, index) => held - before[index]!)).toEqual(due.map((reward) => reward.claimable))
    expect((await claimable()).map((reward) => reward.claimable)).toEqual([0n, 0n])
  }
})
