import { useDevnet } from '@svc/devnet/testing'
import { sqrtPriceFromAmounts } from '@svc/lp-math'
import { type Address, parseAbi, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openStranger, syncClock, testClient } from './attack-kit.fixture.ts'
import { openGift, ownersPosition } from './gifts.fixture.ts'

const devnet = useDevnet()

/** GiftEth.sol: asked before liquidity is added; a simulation (gas price 0) sees native currency come to the wallet. */
const runtime =
  '0x608060405260043610610021575f3560e01c80633825d8281461009d57610028565b3661002857005b348015610033575f5ffd5b503a5f03610090575f80546001546040516001600160a01b03909216918381818185875af1925050503d805f8114610086576040519150601f19603f3d011682016040523d82523d5f602084013e61008b565b606091505b505050505b5f5f5260045f5f3760205ff35b3480156100a8575f5ffd5b506100dc6100b73660046100de565b5f80546001600160a01b0319166001600160a01b039390931692909217909155600155565b005b5f5f604083850312156100ef575f5ffd5b82356001600160a01b0381168114610105575f5ffd5b94602093909301359350505056fea2646970667358221220e180729a1cfde23d100cd685e40ac0f68f4e624e1380faabe7d6ebba2886ba3a64736f6c634300081c0033'

it('G9: a hook that shows a gift to the simulation of a deposit of five dollars does not lock the owner in', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const own = await ownersPosition(world, stranger, 3_000, { WETH: '3', USDC: '9000' })
  const hook: Address = '0x00000000000000000000000000000000ac000800'
  await testClient(devnet()).setCode({ address: hook, bytecode: runtime })
  await devnet().fund(hook, { ETH: '0.1' })
  await stranger.write(hook, parseAbi(['function set(address w, uint256 g)']), 'set', [
    world.wallet,
    parseEther('0.01'),
  ])
  const key = v4Key(world.address('USDC'), world.address('USDT'), 100, 1, hook)
  await stranger.initializeV4(key, sqrtPriceFromAmounts({ amount0: 1n, amount1: 1n }))
  await syncClock(world)
  const deposit = { token0: 'USDC', token1: 'USDT', fee: 100, version: 'v4', amount0: '2.5', hookAddress: hook }
  await world.call('add_liquidity', { ...deposit, rangeStrategy: 'full' })
  await syncClock(world)
  await world.call('remove_liquidity', { positionId: own })
  expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({ open: false })
  await world.close()
})

it('G9: a hook that shows a gift to the simulation of a collection keeps no way home closed', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const own = await ownersPosition(world, stranger, 3_000, { WETH: '3', USDC: '9000' })
  const { positionId } = await openGift(devnet(), world, stranger, { giftUsd: '100', waste: 0n, mode: 0 })
  await syncClock(world)
  await world.call('collect_fees', { positionId: `${positionId}`, version: 'v4' })
  await syncClock(world)
  await world.call('remove_liquidity', { positionId: own })
  await world.close()
})
