import { useDevnet } from '@svc/devnet/testing'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { devnetPolicy } from '@svc/engine'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const noToken: Address = '0x00000000000000000000000000000000000000aa'
let world: World
let fot: Address

beforeAll(async () => {
  const { chainId, tokens } = devnet()
  fot = tokens.find(({ symbol }) => symbol === 'FOT')!.address
  const allowlist = { mode: 'lenient' as const, tokens: { [`${chainId}`]: [fot, noToken] } }
  world = await openWorld(devnet(), { funds: { FOT: '5' }, policy: { ...devnetPolicy(), allowlist } })
})
afterAll(async () => {
  await world.close()
})

describe('a token that the policy lists, and the shipped list does not', () => {
  test('is listed for get_token_info, and known to bear a name of its own making', async () => {
    const { data } = await world.call('get_token_info', { token: fot })
    expect(data).toMatchObject({ listed: true, flags: ['listed_by_policy', 'fee_on_transfer'] })
  })

  test('is found by search_tokens, and reached by its address alone', async () => {
    const found = await world.call('search_tokens', { query: 'FOT' })
    expect(found.at('items')).toEqual([expect.objectContaining({ address: fot, symbol: 'FOT', listed: true })])
    expect(found.at('notes')).toEqual([])
    expect((await world.refuse('get_token_info', { token: 'FOT' })).code).toBe('TOKEN_NOT_FOUND')
  })

  test('is among the tokens of get_agent_balance and the pools of search_pools', async () => {
    const held = await world.call('get_agent_balance')
    expect(held.at('tokens')).toContainEqual(expect.objectContaining({ address: fot, amount: '5' }))
    const pools = await world.call('search_pools', { limit: 100 })
    const own = devnet().pools.filter(({ label }) => label.includes('FOT'))
    expect(pools.list('items').map((item) => item.text('poolAddress'))).toEqual(
      expect.arrayContaining(own.map(({ id }) => id)),
    )
    expect(own).not.toEqual([])
  })
})
