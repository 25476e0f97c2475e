import { useDevnet } from '@svc/devnet/testing'
import { type Address, formatEther } from 'viem'
import { expect, it } from 'vitest'
import { callApproved, openWorld } from '../tools/chain-world.fixture.ts'
import { openHooked, openStranger, strict, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()

/** A WETH/USDC pool at the market whose hook burns all gas when liquidity is added, but not in a simulation, which names no price of gas. */
async function openBurner(): Promise<Address> {
  const stranger = await openStranger(devnet())
  const hook: Address = '0x00000000000000000000000000000000bb000800'
  const wasteful: Address = '0x000000000000000000000000000000000000b04e'
  const node = testClient(devnet())
  await node.setCode({ address: wasteful, bytecode: '0xfe' })
  const burn = `6000600060006000600073${wasteful.slice(2)}5af150`
  await node.setCode({ address: hook, bytecode: `0x3a15602757${burn}5b60006020526020600060003760406000f3` })
  await openHooked(devnet(), stranger, hook)
  return hook
}

/** Gas is little but what is paid to whoever makes the block, so that its price does not vary. */
async function steadyGas(): Promise<void> {
  const node = testClient(devnet())
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n })
  await node.mine({ blocks: 1 })
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n })
}

it('G13: an agent cannot have a hook burn what the way home costs', async () => {
  const world = await openWorld(devnet(), { policy: strict, funds: { ETH: '0.1' } })
  const entry = { token0: 'WETH', token1: 'USDC', fee: 3_000, amount0: '0.02', rangeStrategy: 'full' }
  const positionId = (await world.call('add_liquidity', entry)).text('positionId')
  const hookAddress = await openBurner()
  await steadyGas()
  // Of that the swap takes some 150,000 of gas, and the deposit may burn a million with what takes its allowances back.
  const rest = 1_560_000n * ((await world.client.estimateMaxPriorityFeePerGas()) + 2_000n)
  const amount = formatEther((await world.balance('ETH')) - rest)
  await callApproved(world, 'execute_swap', { tokenIn: 'ETH', tokenOut: 'USDC', amount, version: 'v3' })
  await steadyGas()
  const deposit = { ...entry, amount0: '0.0001', version: 'v4', hookAddress }
  const said = await world.call('add_liquidity', deposit).then((answer) => answer.text('status'), String)
  await steadyGas()
  const left = world.call('remove_liquidity', { positionId, slippageBps: 10_000 })
  expect(await left.then((answer) => answer.text('status'), String)).toBe('success')
  expect(said).toContain('is the gas of a removal, kept so that the owner can leave')
  await world.close()
})
