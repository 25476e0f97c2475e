import { useDevnet } from '@svc/devnet/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { callApproved, openWorld } from '../tools/chain-world.fixture.ts'
import { calls, turnToken } from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { lenient } from './plans.fixture.ts'

const devnet = useDevnet()
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

describe('G13: a token that no longer says its decimals', () => {
  it('hides no position of the wallet and keeps nobody from leaving, after a restart too', async () => {
    const policy = { ...lenient, speculativeUsd: '5000', unnamedSales: 'allow' } as const
    const first = await openWorld(devnet(), { policy })
    const range = { token1: 'USDC', rangeStrategy: 'full' }
    await first.call('add_liquidity', { token0: 'WETH', fee: 3_000, amount0: '0.1', ...range })
    const own = { token0: first.address('HOSTILE'), fee: 10_000, amount0: '500' }
    const positionId = (await callApproved(first, 'add_liquidity', { ...own, ...range })).text('positionId')
    await first.close()
    const token = { devnet: devnet(), token: (symbol: string) => first.address(symbol) }
    restore.push(await turnToken(token, { condition: calls('function decimals()'), evil: '60006000fd' }))
    const world = await openWorld(devnet(), { policy, again: first.again })
    const shown = (await world.call('get_positions_by_owner')).list('items')
    expect(shown.map((position) => position.at('valueUsd'))).toEqual([null, expect.any(Number)])
    const gone = await world.call('remove_liquidity', { positionId })
    // In smallest units.
    expect(Number(gone.text('amount0Received')) + Number(gone.text('amount1Received'))).toBeGreaterThan(4e20)
    await world.close()
  })
})
