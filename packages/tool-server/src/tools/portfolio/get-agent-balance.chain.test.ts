import { useDevnet } from '@svc/devnet/testing'
import { formatUnits, getAddress, isAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import { createChainActor } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeAll(async () => {
  world = await openWorld(devnet(), { funds: { USDC: '1.000001', FOT: '5' } })
})
afterAll(async () => {
  await world.close()
})

describe('get_agent_balance', () => {
  test('counts what the wallet holds, to the wei', async () => {
    const answer = await world.call('get_agent_balance')
    expect(answer.text('address')).toBe(world.wallet)
    expect(answer.text('native.amount')).toBe(formatUnits(await world.balance('ETH'), 18))
    for (const token of answer.list('tokens')) {
      const digits = devnet().tokens.find((each) => each.address === token.text('address'))!.decimals
      expect(token.text('amount')).toBe(formatUnits(await world.balance(token.text('address')), digits))
    }
    const parts = [answer.number('native.usd'), ...answer.list('tokens').map((token) => token.number('usd'))]
    expect(answer.number('totalUsd')).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      4,
    )
    expect(answer.at('allowances')).toEqual([])
  })

  test('shows unlisted tokens only when named, and a named one even at zero', async () => {
    const fot = world.address('FOT')
    const plain = await world.call('get_agent_balance')
    expect(plain.list('tokens').map((token) => token.text('address'))).not.toContain(fot)
    const named = await world.call('get_agent_balance', { tokens: [fot, 'ETH'] })
    expect(named.list('tokens').map((token) => token.text('address'))).toContain(fot)
    const pauper = { address: '0x00000000000000000000000000000000000000aa' }
    const nothing = await world.call('get_agent_balance', { ...pauper, tokens: ['WBTC'] })
    expect(nothing.at('tokens')).toEqual([expect.objectContaining({ symbol: 'WBTC', amount: '0', usd: 0 })])
    expect(nothing.number('totalUsd')).toBe(0)
  })

  test('shows a Permit2 allowance whose end no calendar has as one without end', async () => {
    const { permit2, amm } = devnet().chain
    const holder = await createChainActor(devnet(), devnet().accounts[9]!.address)
    const router = amm.universalRouter!.address
    await holder.write(world.address('USDC'), erc20Abi, 'approve', [permit2, 5_000_000n])
    await holder.write(permit2, permit2Abi, 'approve', [world.address('USDC'), router, 2_000_000n, 2 ** 48 - 1])
    const answer = await world.call('get_agent_balance', { address: holder.address })
    expect(answer.at('allowances')).toContainEqual(
      expect.objectContaining({ via: 'permit2', spender: router, amount: '2', expiresAt: null }),
    )
  })

  test('writes addresses with their checksum', async () => {
    const answer = await world.call('get_agent_balance', { address: world.wallet.toLowerCase() })
    expect(answer.text('address')).toBe(getAddress(world.wallet))
    expect(answer.list('tokens').every((token) => isAddress(token.text('address')))).toBe(true)
  })
})
