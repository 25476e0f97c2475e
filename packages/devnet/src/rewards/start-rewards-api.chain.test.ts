import { erc20Abi, type Hex, parseAbi, parseEventLogs, parseUnits, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { awaitReceipt } from '../chain/chain-client.ts'
import { connect } from '../chain/chain-client.ts'
import { openWallet } from '../open-wallet.fixture.ts'
import { useDevnet } from '../use-devnet.ts'
import { type MerklReward, type RewardsApi, startRewardsApi } from './start-rewards-api.ts'

const devnet = useDevnet()
let api: RewardsApi

beforeAll(async () => {
  api = await startRewardsApi({ devnet: devnet() })
})
afterAll(async () => {
  await api.stop()
})

/** Written down from Merkl's published ABI, not taken from our contract. */
const merklAbi = parseAbi([
  'function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs)',
  'function claimed(address user, address token) view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot)',
  'function getMerkleRoot() view returns (bytes32)',
  'function operators(address user, address operator) view returns (uint256)',
  'function toggleOperator(address user, address operator)',
  'event Claimed(address indexed user, address indexed token, uint256 amount)',
  'error InvalidLengths()',
  'error InvalidProof()',
  'error NotTrusted()',
  'error NotWhitelisted()',
])

const client = () => connect(devnet().rpcUrl)
const distributor = () => ({ address: devnet().rewards.distributor, abi: merklAbi }) as const
const wallet = (index: number) => openWallet(devnet(), devnet().accounts[index]!.privateKey)
const tokenOf = (symbol: string) => devnet().tokens.find((token) => token.symbol === symbol)!.address

async function rewardsOf(user: string, chainId = devnet().chainId): Promise<readonly MerklReward[]> {
  const answer = await fetch(`${api.url}/v4/users/${user}/rewards?chainId=${chainId}`)
  const [first] = (await answer.json()) as readonly { chain: { id: number }; rewards: readonly MerklReward[] }[]
  expect(first?.chain.id ?? chainId).toBe(chainId)
  return first?.rewards ?? []
}

async function claim(by: number, users: readonly Hex[], rewards: readonly MerklReward[]) {
  const args = [
    users,
    rewards.map(({ token }) => token.address),
    rewards.map(({ amount }) => BigInt(amount)),
    rewards.map(({ proofs }) => proofs),
  ] as const
  return await awaitReceipt(client(), await wallet(by).writeContract({ ...distributor(), functionName: 'claim', args }))
}

const balance = async (symbol: string, owner: Hex) =>
  await client().readContract({ address: tokenOf(symbol), abi: erc20Abi, functionName: 'balanceOf', args: [owner] })

const grants = (user: Hex) =>
  [
    { user, token: 'USDC', amount: '12.5', pending: '0.75', reason: 'UniswapV3 WETH/USDC', campaignId: 7n },
    { user, token: 'WETH', amount: '0.02', reason: 'UniswapV4 ETH/USDC', campaignId: 8n },
  ] as const

test('the accounts have earned something from the start, and claim it with the proofs they are given', async () => {
  expect(toFunctionSelector(merklAbi[0])).toBe('0x71ee95c0')
  const { address } = devnet().accounts[3]!
  const [reward, ...others] = await rewardsOf(address)
  expect([reward!.amount, reward!.claimed, others]).toEqual(['4000000', '0', []])
  expect(reward!.proofs.length).toBeGreaterThan(2)
  expect(reward!.root).toBe(await client().readContract({ ...distributor(), functionName: 'getMerkleRoot' }))
  const before = await balance('USDC', address)
  const { logs } = await claim(3, [address], [reward!])
  const token = tokenOf('USDC')
  expect(parseEventLogs({ abi: merklAbi, logs }).map(({ args }) => args)).toEqual([
    { user: address, token, amount: 4_000_000n },
  ])
  expect((await balance('USDC', address)) - before).toBe(4_000_000n)
  const [amount] = await client().readContract({ ...distributor(), functionName: 'claimed', args: [address, token] })
  expect(amount).toBe(4_000_000n)
  expect(await rewardsOf(address)).toMatchObject([{ amount: '4000000', claimed: '4000000' }])
})

test('what is added counts from the beginning, and only what is not yet paid is paid', async () => {
  const { address } = devnet().accounts[0]!
  await claim(0, [address], await rewardsOf(address))
  await devnet().rewards.add(grants(address))
  const rewards = await rewardsOf(address)
  expect(rewards.map(({ token, amount, pending }) => [token.symbol, amount, pending])).toEqual([
    ['USDC', '13500000', '750000'],
    ['WETH', '20000000000000000', '0'],
  ])
  expect(rewards[0]!.breakdowns.map(({ reason, amount, claimed }) => [reason, amount, claimed])).toEqual([
    ['Trading', '1000000', '1000000'],
    ['UniswapV3 WETH/USDC', '12500000', '0'],
  ])
  const before = [await balance('USDC', address), await balance('WETH', address)]
  await claim(0, [address, address], rewards)
  expect([await balance('USDC', address), await balance('WETH', address)]).toEqual([
    before[0]! + 12_500_000n,
    before[1]! + parseUnits('0.02', 18),
  ])
})

test('two who add at once both count', async () => {
  const [first, second] = [devnet().accounts[0]!.address, devnet().accounts[1]!.address]
  await Promise.all([devnet().rewards.add(grants(first)), devnet().rewards.add(grants(second))])
  await claim(0, [first, first], await rewardsOf(first))
  await claim(1, [second, second], await rewardsOf(second))
})

test('only the user and who the user named may claim, and only what the tree says', async () => {
  const { address } = devnet().accounts[2]!
  const [reward] = await rewardsOf(address)
  await expect(claim(1, [address], [reward!])).rejects.toThrow('NotWhitelisted')
  await expect(claim(2, [address], [{ ...reward!, amount: '9000000' }])).rejects.toThrow('InvalidProof')
  await expect(claim(2, [address, address], [reward!])).rejects.toThrow('InvalidLengths')
  const toggle = async (by: number) =>
    await awaitReceipt(
      client(),
      await wallet(by).writeContract({
        ...distributor(),
        functionName: 'toggleOperator',
        args: [address, devnet().accounts[1]!.address],
      }),
    )
  await expect(toggle(1)).rejects.toThrow('NotTrusted')
  await toggle(2)
  const before = await balance('USDC', address)
  await claim(1, [address], [reward!])
  expect((await balance('USDC', address)) - before).toBe(3_000_000n)
})

test('follows a chain that is set back', async () => {
  const { address } = devnet().accounts[0]!
  const back = await devnet().checkpoint()
  await devnet().rewards.add(grants(address))
  expect(await rewardsOf(address)).toHaveLength(2)
  await back()
  expect(await rewardsOf(address)).toHaveLength(1)
})

test('knows nothing of strangers and of other chains, and refuses what is no question', async () => {
  expect(await rewardsOf('0x00000000000000000000000000000000000000aa')).toEqual([])
  expect(await rewardsOf(devnet().accounts[0]!.address, 1)).toEqual([])
  const statusOf = async (path: string) => (await fetch(`${api.url}${path}`)).status
  const { address } = devnet().accounts[0]!
  expect(await statusOf('/v4/users/nobody/rewards?chainId=1')).toBe(400)
  expect(await statusOf(`/v4/users/${address}/rewards`)).toBe(400)
  expect(await statusOf(`/v4/users/${address}`)).toBe(404)
})

test('misbehaves as it is told to, so often and no more', async () => {
  const { address } = devnet().accounts[0]!
  api.setFaults([
    { fault: { kind: 'status', status: 500 }, times: 1 },
    { fault: { kind: 'say', body: '<html>' }, times: 1 },
    { fault: { kind: 'change', rewardOf: (reward) => ({ ...reward, proofs: [] }) }, times: 1 },
  ])
  const ask = async () => await fetch(`${api.url}/v4/users/${address}/rewards?chainId=${devnet().chainId}`)
  expect((await ask()).status).toBe(500)
  expect(await (await ask()).text()).toBe('<html>')
  expect(await rewardsOf(address)).toMatchObject([{ amount: '1000000', proofs: [] }])
  expect((await rewardsOf(address))[0]!.proofs.length).toBeGreaterThan(2)
})
