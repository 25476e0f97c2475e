import { type RewardsApi, startRewardsApi } from '@svc/devnet/rewards-api'
import { useDevnet } from '@svc/devnet/testing'
import { type Address, encodeFunctionData, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ClaimableReward, Intent } from '@svc/amm'
import { rewardDistributorAbi } from '@svc/amm/abis'
import { createRpcPool } from '@svc/amm/rpc'
import { createRewards } from '@svc/amm/rewards'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
let api: RewardsApi

beforeAll(async () => {
  api = await startRewardsApi({ devnet: devnet() })
})
afterAll(() => api.stop())

async function claimableOf(user: Address): Promise<readonly ClaimableReward[]> {
  const rpc = createRpcPool({ urls: () => [devnet().rpcUrl], now: Date.now })
  const { chain } = devnet()
  return (await createRewards({ rpc, chains: [chain], url: api.url }).claimable({ chain, wallet: user })).rewards
}

async function earn(user: Address): Promise<readonly ClaimableReward[]> {
  await devnet().rewards.add([
    { user, token: 'USDC', amount: '40', reason: 'Trading', campaignId: 2n },
    { user, token: 'WETH', amount: '0.01', reason: 'Holding', campaignId: 3n },
  ])
  return claimableOf(user)
}

function claimOf({ chain, wallet }: Pipeline, user: Address, rewards: readonly ClaimableReward[]): Intent {
  const args = [
    rewards.map(() => user),
    rewards.map(({ token }) => token),
    rewards.map(({ earned }) => earned),
    rewards.map(({ proof }) => proof),
  ] as const
  const data = encodeFunctionData({ abi: rewardDistributorAbi, functionName: 'claim', args })
  return {
    chainId: chain.id,
    calls: [{ to: devnet().rewards.distributor, data, valueWei: 0n, label: 'claim' }],
    atomicity: 'single',
    spends: [],
    receives: rewards.map(({ token, claimable }) => ({ token, amount: claimable })),
    approvals: [],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [wallet],
    why: 'claim rewards',
  }
}

it('a claim for the wallet passes the pipeline and brings what it says, once', async () => {
  const pipeline = await open()
  const rewards = await earn(pipeline.wallet)
  const held = () => Promise.all(['USDC', 'WETH'].map((symbol) => pipeline.balance(symbol)))
  const before = await held()
  await pipeline.run(claimOf(pipeline, pipeline.wallet, rewards))
  const after = await held()
  expect(after.map((amount, index) => amount - before[index]!)).toEqual([parseUnits('40', 6), parseUnits('0.01', 18)])
  pipeline.trace.length = 0
  // The same proofs still hold, and nothing arrives any more.
  await expectRefused(pipeline, claimOf(pipeline, pipeline.wallet, rewards), 'UNSAFE_TRANSACTION')
})

it('a claim for somebody else is refused, whether or not the distributor would carry it out', async () => {
  const pipeline = await open()
  const stranger = devnet().accounts[1]!.address
  const rewards = await claimableOf(stranger)
  expect(rewards).toHaveLength(1)
  await expectRefused(pipeline, { ...claimOf(pipeline, stranger, rewards), receives: [] }, 'RECIPIENT_NOT_ALLOWED')
})
