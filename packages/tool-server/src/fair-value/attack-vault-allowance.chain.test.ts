import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import { type Address, encodeFunctionData, type Hex, parseAbi, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { useTradingWorld } from '../tools/liquidity/trading-routes.fixture.ts'
import { openVaultWorld } from '../tools/vaults/vault-world.fixture.ts'
import { testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
const trading = useTradingWorld(devnet)
let world: World
afterEach(() => world.close())

const transferFrom = 'function transferFrom(address from, address to, uint256 value) returns (bool)'
const takeAbi = parseAbi([transferFrom])
const thief: Address = '0x00000000000000000000000000000000000071ef'

/** A vault of the policy whose owner has turned, under limits of 500 dollars a call and 2,000 a day. */
async function openTurned() {
  const vaults = openVaultWorld(devnet())
  const usdc = devnet().tokens.find(({ symbol }) => symbol === 'USDC')!.address
  const vault = await vaults.oddVault('USDC')
  await vaults.deposit(vault, usdc, parseUnits('10000', 6))
  const limitsUsd = { perTransaction: '500', perSession: '2000', daily: '2000' }
  world = await openWorld(devnet(), {
    policy: { ...ownPolicy(devnet()), vaults: { [devnet().chainId]: [vault] }, limitsUsd, approvalThresholdUsd: null },
  })
  await devnet().fund(vault, { ETH: '10' })
  await testClient(devnet()).impersonateAccount({ address: vault })
  /** The vault takes what it may, in a transaction of its own. */
  const take = async () => {
    const args = [world.wallet, vault] as const
    const read = { address: usdc, abi: erc20Abi, functionName: 'allowance', args } as const
    const allowed = await world.client.readContract(read)
    await vaults.call(usdc, transferFrom, [world.wallet, thief, allowed], vault)
  }
  const before = await world.balance('USDC')
  const lostUsd = async () => Number(before - (await world.balance('USDC'))) / 1e6
  const counted = async (blocks = 70) => {
    if (blocks > 0) await testClient(devnet()).mine({ blocks })
    await world.executor.reconcile()
    const status = await world.call('check_safety_status')
    const lost = Number(status.at('valueUsd.lossAtMost.used'))
    return { lost, isOpen: status.at('breaker.open'), stops: status.at('breaker.stops') }
  }
  /** The same as data of a transaction in a block of another miner. */
  const takes = (amount: bigint) => ({
    from: vault,
    to: usdc,
    gas: '0x30d40',
    maxFeePerGas: '0x174876e800',
    data: encodeFunctionData({ abi: takeAbi, functionName: 'transferFrom', args: [world.wallet, thief, amount] }),
  })
  const allowance = () =>
    world.client.readContract({
      address: usdc,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [world.wallet, vault],
    })
  return { vault, take, takes, allowance, lostUsd, counted }
}

it('G13: a vault that takes its allowance before the deposit is mined has what it took counted, once', async () => {
  const { vault, take, lostUsd, counted } = await openTurned()
  beforeSending(world, 2, take)
  expect((await world.refuse('vault_deposit', { vault, amount: '490' })).code).toBe('TRANSACTION_REVERTED')
  expect(await lostUsd()).toBe(490)
  const { lost, ...breaker } = await counted()
  expect(lost).toBeGreaterThanOrEqual(490)
  expect(breaker).toEqual({ isOpen: true, stops: 'all-but-ways-home' })
  expect((await world.refuse('vault_deposit', { vault, amount: '490' })).code).toBe('CIRCUIT_BREAKER_OPEN')
})

it('G13: so it is where it takes what a deposit has left of its allowance, before that is taken back', async () => {
  const { vault, take, lostUsd, counted } = await openTurned()
  beforeSending(world, 3, take)
  await world.call('vault_deposit', { vault, amount: '490', slippageBps: 90 })
  expect(await lostUsd()).toBe(490)
  const { lost, isOpen } = await counted()
  expect([lost > 4.4 && lost < 5, isOpen]).toEqual([true, true])
  expect((await world.call('vault_withdraw', { vault })).at('status')).toBe('success')
})

it('G13: and where nobody is there any more to see it, once a process starts', async () => {
  const { vault, take, counted } = await openTurned()
  beforeSending(world, 2, async () => {
    await take()
    throw new Error('the process ends here')
  })
  await world.refuse('vault_deposit', { vault, amount: '490' })
  const { lost, isOpen } = await counted()
  expect([lost >= 490, isOpen]).toEqual([true, true])
})

it('G13: and where it had taken nothing until the block of the revocation is replaced by one in which it takes first', async () => {
  const { vault, takes, allowance, lostUsd, counted } = await openTurned()
  const raws: Hex[] = []
  let left = 0n
  world.network.fetch = async (input, init) => {
    const [, raw] = /"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"/.exec(init?.body as string) ?? []
    if (raw !== undefined && raws.push(raw as Hex) === 3) left = await allowance()
    return fetch(input, init)
  }
  await world.call('vault_deposit', { vault, amount: '490', slippageBps: 90 })
  const [before, lossBefore] = [await lostUsd(), (await counted(0)).lost]
  expect([raws.length, left > 0n]).toEqual([3, true])
  const replacing = [takes(left), raws[2]].map((one) => [one, 0])
  await testClient(devnet()).request({ method: 'anvil_reorg', params: [1, replacing] } as never)
  expect((await lostUsd()) - before).toBeCloseTo(Number(left) / 1e6, 6)
  const { lost, ...breaker } = await counted()
  expect(breaker).toEqual({ isOpen: true, stops: 'all-but-ways-home' })
  // It goes on counting as at its worst, which no look at settled blocks lowers.
  expect(lossBefore).toBeGreaterThan(0)
  expect(lost).toBeGreaterThanOrEqual(lossBefore)
})

it('G13: an order that is filled while a vault has an allowance of the same token is no theft', async () => {
  const turned = await openTurned()
  const { again } = world
  await world.close()
  const limitsUsd = { perTransaction: '500', perSession: '2000', daily: '2000' }
  const vaults = { [devnet().chainId]: [turned.vault] }
  world = await trading.open({
    again,
    policy: { ...ownPolicy(devnet()), vaults, limitsUsd, approvalThresholdUsd: null },
  })
  await world.call('submit_uniswapx_order', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '400' })
  beforeSending(world, 2, async () => void (await trading.api().fillOrders()))
  expect((await world.call('vault_deposit', { vault: turned.vault, amount: '490' })).at('status')).toBe('success')
  expect(await turned.lostUsd()).toBeGreaterThan(889)
  const { lost, isOpen } = await turned.counted()
  expect([lost < 10, isOpen]).toEqual([true, false])
})
