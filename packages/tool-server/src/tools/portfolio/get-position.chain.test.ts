import { useDevnet } from '@svc/devnet/testing'
import { erc721Abi, getAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChainActor } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'
import { type Answer, poolTokens } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const base = { token0: 'WETH', token1: 'USDC', fee: 500 }

/** The v3 position of somebody else becomes the wallet's. */
async function giveToWallet(position: Answer): Promise<void> {
  const owner = getAddress(position.text('owner'))
  await devnet().fund(owner, { ETH: '1' })
  await testClient(devnet()).impersonateAccount({ address: owner })
  const giver = await createChainActor(devnet(), owner)
  const { positionManager } = devnet().chain.amm.v3!
  await giver.write(positionManager, erc721Abi, 'transferFrom', [
    owner,
    world.wallet,
    BigInt(position.text('positionId')),
  ])
}

describe('positions', () => {
  test.each(['v3', 'v4'])('get_position shows a %s position as it was opened', async (version) => {
    const opened = await world.call('add_liquidity', { ...base, version, amount0: '1', rangeStrategy: 'medium' })
    const position = await world.call('get_position', { positionId: opened.text('positionId'), version })
    const wethFirst = poolTokens(opened)[0] === world.address('WETH')
    expect(position.data).toMatchObject({ owner: world.wallet, version, inRange: true })
    expect(position.text('pool.poolAddress')).toBe(opened.text('pool.poolAddress'))
    expect([position.text('pool.token0'), position.text('pool.token1')]).toEqual(poolTokens(opened))
    const [lower, upper] = [opened.number('priceLower'), opened.number('priceUpper')]
    expect(position.number('priceLower') / (wethFirst ? lower : 1 / upper)).toBeCloseTo(1, 4)
    expect(position.number('priceUpper') / (wethFirst ? upper : 1 / lower)).toBeCloseTo(1, 4)
    const paid = opened.number('amount0DepositedUsd') + opened.number('amount1DepositedUsd')
    expect(position.number('valueUsd') / paid).toBeCloseTo(1, 5)
    expect(position.number('distanceToLowerPct')).toBeGreaterThan(0)
    expect(position.number('distanceToUpperPct')).toBeGreaterThan(0)
  })

  test('get_position says when the price has left the range', async () => {
    const { price } = (await world.call('get_token_price', { token: 'WETH', quote: 'USDC' })).data as { price: number }
    const opened = await world.call('add_liquidity', {
      ...base,
      priceLower: price * 1.2,
      priceUpper: price * 1.5,
      amount0: '1',
      amount1: '0',
    })
    const position = await world.call('get_position', { positionId: opened.text('positionId') })
    expect(position.at('inRange')).toBe(false)
    expect(Math.min(position.number('distanceToLowerPct'), position.number('distanceToUpperPct'))).toBeLessThan(0)
  })

  test('get_positions_by_owner lists all versions page by page, with totals over all', async () => {
    await world.call('add_liquidity', { ...base, amount0: '1', rangeStrategy: 'medium' })
    await world.call('add_liquidity', { ...base, amount0: '1', rangeStrategy: 'wide', version: 'v4' })
    await world.call('add_liquidity', { token0: 'ETH', token1: 'USDC', amount0: '1', version: 'v2' })
    const all = await world.call('get_positions_by_owner')
    expect(
      all
        .list('items')
        .map((item) => item.text('version'))
        .sort(),
    ).toEqual(['v2', 'v3', 'v4'])
    expect(all.number('totals.positions')).toBe(3)
    const values = all.list('items').map((item) => item.number('valueUsd'))
    expect(all.number('totals.valueUsd')).toBeCloseTo(
      values.reduce((sum, value) => sum + value, 0),
      2,
    )
    const share = all.list('items').find((item) => item.text('version') === 'v2')!
    expect(share.data).toMatchObject({ tickLower: null, priceLower: null, inRange: true, feesOwed0: '0' })
    const first = await world.call('get_positions_by_owner', { limit: 2 })
    const rest = await world.call('get_positions_by_owner', { limit: 2, cursor: first.text('nextCursor') })
    expect([...first.list('items'), ...rest.list('items')].map((item) => item.text('positionId'))).toEqual(
      all.list('items').map((item) => item.text('positionId')),
    )
    expect(rest.at('totals')).toEqual(all.at('totals'))
  })

  test('get_positions_by_owner leaves closed positions out unless asked', async () => {
    const opened = await world.call('add_liquidity', { ...base, amount0: '1', rangeStrategy: 'medium' })
    const positionId = opened.text('positionId')
    await world.call('remove_liquidity', { positionId })
    expect((await world.call('get_positions_by_owner')).at('items')).toEqual([])
    const closed = (await world.call('get_positions_by_owner', { includeClosed: true })).list('items')
    expect(closed.map((item) => item.data)).toMatchObject([
      { positionId, liquidityRaw: '0', isClosed: true, inRange: false },
    ])
    expect(opened.number('currentPrice')).toBeLessThan(opened.number('priceUpper'))
  })

  test('a range without ends is at no distance from them', async () => {
    const opened = await world.call('add_liquidity', { ...base, amount0: '1', rangeStrategy: 'full' })
    const position = await world.call('get_position', { positionId: opened.text('positionId') })
    expect(position.data).toMatchObject({
      distanceToLowerPct: null,
      distanceToUpperPct: null,
      isClosed: false,
      inRange: true,
    })
  })

  test('without a version the position of the agent wallet is shown, and where it holds both none is guessed', async () => {
    const opened = await world.call('add_liquidity', { ...base, version: 'v4', amount0: '1', rangeStrategy: 'medium' })
    const positionId = opened.text('positionId')
    const strangers = await world.call('get_position', { positionId, version: 'v3' })
    expect(strangers.text('owner')).not.toBe(world.wallet)
    const own = await world.call('get_position', { positionId })
    expect(own.data).toMatchObject({ owner: world.wallet, version: 'v4', positionId })
    const performance = await world.call('get_position_performance', { positionId })
    expect(performance.text('pool')).toBe(opened.text('pool.poolAddress'))
    expect((await world.call('get_position', { positionId: '1' })).text('version')).toBe('v3')
    await giveToWallet(strangers)
    expect(await world.refuse('get_position', { positionId })).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'version', accepted: expect.stringMatching(/^v3 \(.+\/.+\) or v4 \(.+\/.+\)$/) }],
    })
  })

  test('knows what does not exist', async () => {
    expect(await world.refuse('get_position', { positionId: '987654321' })).toMatchObject({
      code: 'POSITION_NOT_FOUND',
      message:
        'No v3 or v4 position with this id stands on local; one that was burnt, as migrate_position does, cannot be read any more.',
    })
    expect((await world.refuse('get_position', { positionId: '987654321', version: 'v4' })).code).toBe(
      'POSITION_NOT_FOUND',
    )
  })
})
