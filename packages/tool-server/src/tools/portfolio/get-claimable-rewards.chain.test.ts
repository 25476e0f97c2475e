import { type MerklReward, type RewardsApi, startRewardsApi } from '@svc/devnet/rewards-api'
import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hostileName } from '../../../../devnet/src/seed/token-specs.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World
let api: RewardsApi

beforeAll(async () => {
  api = await startRewardsApi({ devnet: devnet() })
  world = await openWorld(devnet(), { rewards: { url: api.url } })
})
afterAll(async () => {
  await world.close()
  await api.stop()
})
beforeEach(() => api.setFaults([]))

const earn = async (user: Hex = world.wallet) =>
  await devnet().rewards.add([
    { user, token: 'USDC', amount: '12.5', pending: '0.75', reason: 'WETH/USDC 0.05 %', campaignId: 7n },
    { user, token: 'WETH', amount: '0.02', reason: 'ETH/USDC v4', campaignId: 8n },
    { user, token: 'WETH', amount: '0.01', reason: 'Holding', campaignId: 9n },
  ])

const ofUsdc = (change: (reward: MerklReward) => object) => (reward: MerklReward) =>
  reward.token.symbol === 'USDC' ? change(reward) : reward

describe('get_claimable_rewards', () => {
  test('shows what a claim would pay now, what it was earned with and what is pending', async () => {
    await earn()
    const answer = await world.call('get_claimable_rewards')
    expect(answer.data).toMatchObject({
      chain: { id: devnet().chainId },
      source: 'rpc',
      wallet: world.wallet,
      distributor: devnet().rewards.distributor,
      root: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      rewards: [
        {
          token: world.address('USDC'),
          symbol: 'USDC',
          amount: '12.5',
          amountUsd: expect.closeTo(12.5, 1),
          pending: '0.75',
          doubt: null,
          sources: [{ reason: 'WETH/USDC 0.05 %', campaignId: `0x${'7'.padStart(64, '0')}` }],
        },
        {
          symbol: 'WETH',
          amount: '0.03',
          pending: '0',
          sources: [expect.objectContaining({ reason: 'ETH/USDC v4' }), expect.objectContaining({ reason: 'Holding' })],
        },
      ],
      // Said here and not only once a claim is refused: the world of this test has no key.
      notes: [expect.stringMatching(/cannot claim them: claim_lp_rewards needs .*SVC_TRADING_API_KEY/)],
    })
    const [usdc, weth] = answer.list('rewards').map((reward) => reward.number('amountUsd'))
    expect(weth).toBeCloseTo(0.03 * devnet().market.prices().WETH, 0)
    expect(answer.number('totalUsd')).toBeCloseTo(usdc! + weth!, 6)
    expect(api.asked().at(-1)).toBe(`/v4/users/${world.wallet}/rewards?chainId=${devnet().chainId}`)
  })

  test('counts what was claimed by the distributor’s own word, and shows nothing more of it', async () => {
    await earn()
    await claimAll()
    const own = ofUsdc((reward) => ({ ...reward, claimed: '0' }))
    api.setFaults([{ fault: { kind: 'change', rewardOf: own } }])
    const after = await world.call('get_claimable_rewards')
    expect(after.at('rewards')).toMatchObject([{ symbol: 'USDC', amount: '0', amountUsd: 0, pending: '0.75' }])
    expect(after.number('totalUsd')).toBe(0)
    await earn()
    const again = await world.call('get_claimable_rewards')
    expect(again.list('rewards').map((reward) => reward.text('amount'))).toEqual(['12.5', '0.03'])
  })

  test('of named tokens shows those alone, also where nothing is left, and says which have none', async () => {
    await earn()
    await claimAll()
    const answer = await world.call('get_claimable_rewards', { tokens: ['WETH', 'DAI'] })
    expect(answer.at('rewards')).toMatchObject([{ symbol: 'WETH', amount: '0' }])
    expect(answer.at('notes')).toEqual(['No reward in DAI.'])
  })

  test('reads for any wallet, and finds nothing for one that earned nothing', async () => {
    const wallet = devnet().accounts[4]!.address
    const answer = await world.call('get_claimable_rewards', { wallet })
    expect(answer.at('rewards')).toMatchObject([{ symbol: 'USDC', amount: '5', sources: [{ reason: 'Trading' }] }])
    const nothing = await world.call('get_claimable_rewards', { wallet: '0x00000000000000000000000000000000000000aa' })
    expect([nothing.at('rewards'), nothing.at('totalUsd')]).toEqual([[], 0])
  })

  test('shows what strangers wrote as short, escaped data, and calls their token by its address', async () => {
    const token = world.address('HOSTILE')
    const user = world.wallet
    await devnet().rewards.add([{ user, token: 'HOSTILE', amount: '3', reason: hostileName, campaignId: 1n }])
    const answer = await world.call('get_claimable_rewards', { tokens: [token] })
    expect(answer.at('rewards')).toMatchObject([{ token, amount: '3', doubt: null }])
    const [reward] = answer.list('rewards')
    expect(reward!.list('sources')[0]!.text('reason').length).toBeLessThanOrEqual(64)
    expect(JSON.stringify(answer.data)).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}|\p{sc=Cyrillic}/u)
  })
})

describe('the service that gives proofs is not believed', () => {
  test.each<[string, (reward: MerklReward) => object, string, RegExp]>([
    ['wrong proofs', (reward) => ({ ...reward, proofs: reward.proofs.toReversed() }), 'proof', /does not hold/],
    ['no proofs', (reward) => ({ ...reward, proofs: [] }), 'proof', /does not hold/],
    ['a larger amount', (reward) => ({ ...reward, amount: '999000000' }), 'proof', /does not hold/],
    [
      'another recipient',
      (reward) => ({ ...reward, recipient: devnet().accounts[1]!.address }),
      'recipient',
      /another account/,
    ],
  ])('%s: listed with a note, not counted', async (_what, change, doubt, note) => {
    await earn()
    const honest = await world.call('get_claimable_rewards')
    api.setFaults([{ fault: { kind: 'change', rewardOf: ofUsdc(change) } }])
    const answer = await world.call('get_claimable_rewards')
    expect(answer.at('rewards')).toMatchObject([
      { symbol: 'USDC', amount: '0', amountUsd: 0, doubt },
      { symbol: 'WETH', amount: '0.03', doubt: null },
    ])
    expect(answer.at('notes')).toEqual([expect.stringMatching(note), expect.stringContaining('cannot claim')])
    expect(answer.number('totalUsd')).toBe(honest.list('rewards')[1]!.number('amountUsd'))
  })

  test('a reward that is offered several times counts once, as the largest that is proven', async () => {
    await earn()
    const path = `${api.url}/v4/users/${world.wallet}/rewards?chainId=${devnet().chainId}`
    const [{ chain, rewards }] = (await (await fetch(path)).json()) as [{ chain: object; rewards: MerklReward[] }]
    const unproven = rewards.map((reward) => Object.assign({}, reward, { proofs: [] }))
    const empty = rewards.map((reward) => Object.assign({}, reward, { amount: '0' }))
    const twice = [...unproven, ...empty, ...rewards, ...rewards, ...empty]
    api.setFaults([{ fault: { kind: 'say', body: JSON.stringify([{ chain, rewards: twice }]) } }])
    const answer = await world.call('get_claimable_rewards')
    expect(answer.list('rewards').map((reward) => [reward.text('amount'), reward.at('doubt')])).toEqual([
      ['12.5', null],
      ['0.03', null],
    ])
  })

  test('what it says of another chain, and of contracts that are no tokens, is left out', async () => {
    await earn()
    const path = `${api.url}/v4/users/${world.wallet}/rewards?chainId=${devnet().chainId}`
    const [{ chain, rewards }] = (await (await fetch(path)).json()) as [{ chain: object; rewards: MerklReward[] }]
    const bare = { ...rewards[0]!, token: { ...rewards[0]!.token, address: devnet().accounts[0]!.address } }
    const said = [
      { chain: { id: 1 }, rewards },
      { chain, rewards: [bare] },
    ]
    api.setFaults([{ fault: { kind: 'say', body: JSON.stringify(said) } }])
    const answer = await world.call('get_claimable_rewards')
    expect(answer.at('rewards')).toEqual([])
    expect(answer.at('notes')).toEqual(['A reward in a contract that is no token is left out.'])
  })
})

describe('names the next call to make', () => {
  test('where the service is down: the same again', async () => {
    api.setFaults([{ fault: { kind: 'status', status: 500 } }])
    const refusal = await world.refuse('get_claimable_rewards')
    expect(refusal).toMatchObject({ code: 'REWARDS_UNAVAILABLE', retryable: true })
    expect(refusal.suggestion).toContain('Call get_claimable_rewards again')
  })

  test('where it answers garbage: get_agent_balance, and the setting', async () => {
    api.setFaults([{ fault: { kind: 'say', body: '<html>' } }])
    const refusal = await world.refuse('get_claimable_rewards')
    expect(refusal).toMatchObject({ code: 'REWARDS_UNREADABLE', retryable: false })
    expect(refusal.suggestion).toMatch(/SVC_REWARDS_URL.*get_agent_balance/)
  })

  test('where nothing stands at the distributor’s address: the operator', async () => {
    const other = await openWorld(devnet(), {
      rewards: { url: api.url },
      chain: { rewardDistributor: '0x00000000000000000000000000000000000000aa' },
    })
    const refusal = await other.refuse('get_claimable_rewards')
    await other.close()
    expect(refusal).toMatchObject({ code: 'DISTRIBUTOR_NOT_DEPLOYED', retryable: false })
    expect(refusal.suggestion).toContain('rewardDistributor')
  })
})

/** As a person with the wallet's key would, with the proofs of the service. */
async function claimAll(): Promise<void> {
  const path = `${api.url}/v4/users/${world.wallet}/rewards?chainId=${devnet().chainId}`
  const [{ rewards }] = (await (await fetch(path)).json()) as [{ rewards: readonly MerklReward[] }]
  const data = encodeFunctionData({
    abi: parseAbi(['function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)']),
    args: [
      rewards.map(() => world.wallet),
      rewards.map(({ token }) => token.address),
      rewards.map(({ amount }) => BigInt(amount)),
      rewards.map(({ proofs }) => proofs),
    ],
  })
  const wallet = new ServiceWallet({ mode: 'local', privateKey: world.again.privateKey })
  const client = world.client
  const [nonce, block] = await Promise.all([
    client.getTransactionCount({ address: wallet.address }),
    client.getBlock({ blockTag: 'latest' }),
  ])
  const signed = await wallet.signTransaction({
    type: 'eip1559',
    chainId: devnet().chainId,
    nonce,
    to: devnet().rewards.distributor,
    data,
    gas: 500_000n,
    maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + 1_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  await awaitReceipt(client, await client.sendRawTransaction({ serializedTransaction: signed }))
}
