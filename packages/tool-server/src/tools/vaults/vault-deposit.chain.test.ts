import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, ownPolicy, type World, type WorldOptions } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const worlds: World[] = []
let world: World

async function open(policy: object = {}, options: WorldOptions = {}): Promise<World> {
  const opened = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), ...policy }, ...options })
  worlds.push(opened)
  return opened
}

beforeEach(async () => {
  world = await open()
})
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((one) => one.close()))
})

const usdcVault = () => devnet().vaults[0]!.address

describe('vault_deposit', () => {
  test('x', async () => {
    console.log(devnet().vaults)
    const plan = await world.call('vault_deposit', { vault: usdcVault(), amount: '1000', dryRun: true })
    console.log(JSON.stringify(plan.data, null, 1))
    const answer = await world.call('vault_deposit', { vault: usdcVault(), amount: '1000' })
    console.log(JSON.stringify(answer.data, null, 1))
    const back = await world.call('vault_withdraw', { vault: usdcVault(), amount: '100' })
    console.log(JSON.stringify(back.data, null, 1))
    const backPlan = await world.call('vault_withdraw', { vault: usdcVault(), dryRun: true })
    console.log(JSON.stringify(backPlan.data, null, 1))
    const all = await world.call('vault_withdraw', { vault: usdcVault() })
    console.log(JSON.stringify(all.data, null, 1))
    console.log(world.lines)
  })
})
