import type { ClaimableReward } from '@svc/amm'
import { createRewards } from '@svc/amm/rewards'
import { chains, findChain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { getClaimableRewards } from './positions.ts'

describeRefusals(
  getClaimableRewards,
  { chain: 'base', tokens: ['USDC'] },
  { chain: 'chain', wallet: 'address', tokens: 'tokens' },
)

test('get_claimable_rewards asks for a wallet where the server has none', async () => {
  const refusal = await refusalOf(getClaimableRewards, { chain: 'base' }, { ...untouchedWorld(), agentAddress: null })
  expect(refusal.details).toEqual([expect.objectContaining({ field: 'wallet', accepted: 'an address' })])
})

test.each(['sepolia', 'zksync', 'unichain', 'celo', 'blast'])(
  'get_claimable_rewards names the chains that have a distributor where %s has none, and asks nobody',
  async (chain) => {
    const world = untouchedWorld()
    const fetch = () => Promise.reject(new Error('asked'))
    const rewards = createRewards({ rpc: world.rpc, chains, url: 'https://proofs.example', fetch })
    const refusal = await refusalOf(getClaimableRewards, { chain }, { ...world, rewards })
    expect(refusal).toMatchObject({
      code: 'DISTRIBUTOR_NOT_DEPLOYED',
      retryable: false,
      suggestion: expect.stringContaining('Call get_claimable_rewards with a chain'),
      details: [{ field: 'chain', accepted: expect.arrayContaining(['ethereum', 'base', 'arbitrum']) }],
    })
  },
)

const base = findChain(chains, 'base')!
const [weth, usdc] = base.tokens

/** A world in which the distributor of Base owes this, and a dollar token alone has a price. */
function worldOwing(rewards: readonly ClaimableReward[]): ReturnType<typeof untouchedWorld> {
  const owed = { distributor: base.rewardDistributor!, root: `0x${'a'.repeat(64)}` as const, blockNumber: 7n, rewards }
  const usd = async (_chain: unknown, token: { usdPegged: boolean }) => (token.usdPegged ? { usd: 1 } : null)
  const bare = untouchedWorld()
  return {
    ...bare,
    rpc: { seenHead: () => null } as never,
    rewards: { ...bare.rewards, cannotClaim: null, claimable: async () => owed },
    prices: { ...bare.prices, usd } as never,
  }
}

function owed(token: Address, claimable: bigint): ClaimableReward {
  return { token, claimable, earned: claimable, proof: [], pending: 0n, doubt: null, sources: [] }
}

const answer = (world: ReturnType<typeof untouchedWorld>, args: object = {}) =>
  getClaimableRewards.handle(getClaimableRewards.input.parse({ chain: 'base', ...args }), world)

test('get_claimable_rewards leaves what has no price out of the total, and says so', async () => {
  const world = worldOwing([owed(weth!.address, 10n ** 18n), owed(usdc!.address, 2_500_000n)])
  expect(await answer(world)).toMatchObject({
    rewards: [
      { symbol: 'WETH', amount: '1', amountUsd: null },
      { symbol: 'USDC', amount: '2.5', amountUsd: 2.5 },
    ],
    totalUsd: 2.5,
    notes: ['No trustworthy USD price for WETH: totalUsd leaves it out.'],
    blockNumber: 7,
  })
})

test.each([
  ['key', /needs the key of a trading API/],
  ['dialect', /SVC_TRADING_API_DIALECT lp\) builds no claims; v1 does/],
] as const)('get_claimable_rewards says what keeps a claim from being built: the %s', async (cannotClaim, says) => {
  const world = worldOwing([owed(usdc!.address, 1_000_000n)])
  const { notes } = getClaimableRewards.output.parse(
    await answer({ ...world, rewards: { ...world.rewards, cannotClaim } }),
  )
  expect(notes).toEqual([expect.stringMatching(says)])
})

test('get_claimable_rewards shows thirty rewards at most and says how to see others', async () => {
  const many = Array.from({ length: 31 }, () => owed(usdc!.address, 1_000_000n))
  const { rewards, totalUsd, notes } = getClaimableRewards.output.parse(await answer(worldOwing(many)))
  expect([rewards, totalUsd]).toEqual([expect.objectContaining({ length: 30 }), 30])
  expect(notes).toEqual(['The first 30 are shown; name others in tokens.'])
})

test('get_claimable_rewards shows what is worth nothing now only where it is pending, doubted or named', async () => {
  const nothing = owed(usdc!.address, 0n)
  const shown = async (reward: ClaimableReward, args?: object) => {
    const { rewards } = getClaimableRewards.output.parse(await answer(worldOwing([reward]), args))
    return rewards
  }
  expect(await shown(nothing)).toEqual([])
  expect(await shown({ ...nothing, pending: 1n })).toMatchObject([{ amount: '0', pending: '0.000001' }])
  expect(await shown({ ...nothing, doubt: 'proof' })).toMatchObject([{ amount: '0', amountUsd: 0, doubt: 'proof' }])
  expect(await shown(nothing, { tokens: ['USDC'] })).toMatchObject([{ amount: '0' }])
  expect(await shown(nothing, { tokens: ['WETH'] })).toEqual([])
})
