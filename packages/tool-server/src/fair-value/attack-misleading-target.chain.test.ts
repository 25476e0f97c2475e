import { useDevnet } from '@svc/devnet/testing'
import { type Address, encodeDeployData, getAddress, parseAbi } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { feeOnTransferToken } from '../../../devnet/src/contracts.gen.ts'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: a token whose text is made to mislead is bought with a person alone, by a harvest as well', async () => {
  const lenient = { version: 1, allowlist: { mode: 'lenient' } } as const
  const opened = await openAfter(
    devnet(),
    (before) =>
      before.call('add_liquidity', { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'narrow', amount0: '3' }),
    { policy: lenient },
  )
  world = opened.world
  await openStranger(devnet())
  await devnet().trade(60, 3, [opened.outcome.text('pool.poolAddress') as `0x${string}`])
  await syncClock(world)
  const token = world.address('HOSTILE')
  const swap = await world.refuse('execute_swap', { tokenIn: 'USDC', tokenOut: token, amount: '1' })
  const before = await world.balance('HOSTILE')
  const harvested = await world.call('harvest_rewards', { targetToken: token, minHarvestUsd: 0 }).then(
    (answer) => JSON.stringify(answer.at('consolidationSwaps')).slice(0, 600),
    (error: unknown) => (error instanceof Error ? error.message.slice(0, 800) : ''),
  )
  const bought = Number((await world.balance('HOSTILE')) - before) / 1e18
  expect({ swap: swap.code, bought, harvested }).toMatchObject({ swap: 'APPROVAL_REQUIRED', bought: 0 })
})

it('G13: a token that looks like a listed one, of the policy as well, is bought with a person alone', async () => {
  const bare = await openWorld(devnet())
  const stranger = await openStranger(devnet())
  const listed = await deployToken(stranger, 'Aerodrome', 'AERO')
  await bare.close()
  const tokens = { [devnet().chainId]: [listed] }
  world = await openWorld(devnet(), {
    policy: { version: 1, allowlist: { mode: 'lenient', tokens }, speculativeUsd: '200' },
  })
  const outcomes: Record<string, string> = {}
  for (const [symbol, name] of looks) {
    const token = await deployToken(stranger, name, symbol)
    await stranger.addV2(token, world.address('USDC'), 10n ** 21n, 50_000_000_000n)
    await syncClock(world)
    const bought = world.call('execute_swap', { tokenIn: 'USDC', tokenOut: token, amount: '10', slippageBps: 100 })
    outcomes[symbol] = await bought.then(
      () => 'BOUGHT',
      (error: unknown) => /"code":"(\w+)"/.exec(String(error))?.[1] ?? String(error),
    )
  }
  const asked = looks.map(([symbol]) => [symbol, symbol === 'stAERO' ? 'BOUGHT' : 'APPROVAL_REQUIRED'])
  expect(outcomes).toEqual(Object.fromEntries(asked))
  const info = await world.call('get_token_info', { token: await deployToken(stranger, 'Aerodrome', 'AERO.b') })
  expect(info.at('flags')).toContain('lookalike')
  expect(JSON.stringify(info.at('notes'))).toContain(`a token that the policy lists, ${getAddress(listed)}`)
})

const looks = [
  ['AERO', 'Aerodrome'],
  ['$USDC', 'US Dollar'],
  ["'USDC'", 'Circle'],
  ['US\u0110C', 'US Dollar'],
  ['USD\u1d04', 'US Dollar'],
  ['USDC\u2713', 'Circle USDC'],
  ['USDC (native)', 'USD Coin (Circle)'],
  ['USDC.b', 'USD Coin by Circle'],
  ['stAERO', 'Staked Aerodrome'],
] as const

async function deployToken(actor: ChainActor, name: string, symbol: string): Promise<Address> {
  const data = encodeDeployData({ ...feeOnTransferToken, args: [name, symbol, 0n, actor.address] })
  const client = testClient(devnet())
  await client.impersonateAccount({ address: actor.address })
  const hash = await client.sendUnsignedTransaction({ from: actor.address, data, gas: 5_000_000n })
  const { contractAddress } = await actor.client.waitForTransactionReceipt({ hash })
  if (contractAddress === null || contractAddress === undefined) throw new TypeError('No token was deployed')
  const abi = parseAbi(['function mint(address to, uint256 value)'])
  await actor.write(contractAddress, abi, 'mint', [actor.address, 10n ** 24n])
  return contractAddress
}
