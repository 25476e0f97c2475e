import { expect, test } from 'vitest'
import type { World } from '../chain-world.fixture.ts'
import { useTradingWorld } from '../liquidity/trading-routes.fixture.ts'
import { useCrossChain } from '../orders/cross-chain.fixture.ts'

const worlds = useCrossChain()
const trading = useTradingWorld(worlds.origin)

type Call = { readonly id: number; readonly method: string }
type Listed = {
  readonly tradingApi: string
  readonly items: readonly {
    readonly name: string
    readonly rpcHealthy: boolean
    readonly problem: string | null
    readonly works: { readonly crossChainTo: readonly string[]; readonly vaults: readonly string[] | null } | null
  }[]
}

async function list(world: World) {
  const { items, tradingApi } = (await world.call('list_supported_chains')).data as Listed
  const [local, elsewhere] = ['local', 'elsewhere'].map((name) => items.find((item) => item.name === name)!)
  return { local: local!, elsewhere: elsewhere!, tradingApi }
}

/** Puts an endpoint of other abilities before the chain on which orders are opened: it says no to some methods, or what it is made to. */
function behind(world: World, answer: (calls: readonly Call[], truth: () => Promise<unknown>) => Promise<unknown>) {
  world.network.fetch = async (input, init) => {
    if (input !== worlds.origin().rpcUrl) return fetch(input, init)
    const body = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Call | Call[]
    const said = await answer([body].flat(), async () => (await fetch(input, init)).json())
    return said instanceof Response ? said : Response.json(said)
  }
}

/** Of each answer of the chain what is said instead. */
const retold =
  (retell: (method: string) => object | null) => async (calls: readonly Call[], truth: () => Promise<unknown>) => {
    const told = (await truth()) as { readonly id: number } | { readonly id: number }[]
    const answers = [told].flat().map((answer) => {
      const other = retell(calls.find(({ id }) => id === answer.id)?.method ?? '')
      return other === null ? answer : Object.assign({ jsonrpc: '2.0', id: answer.id }, other)
    })
    return Array.isArray(told) ? answers : answers[0]
  }

const refused = { error: { code: -32_601, message: 'no such method' } }
const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', dryRun: true }
const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', dryRun: true }
const bridged = { tokenIn: 'USDC', tokenOut: 'USDC', amount: '1000', dryRun: true }
const deposit = () => {
  const { address } = worlds.origin().vaults.find(({ label }) => label === 'Agent USDC vault')!
  return { vault: address, amount: '10', dryRun: true }
}

test.each([
  ['is dead', () => Promise.reject(new TypeError('fetch failed')), 'RPC_UNAVAILABLE'],
  [
    'serves another chain',
    retold((method) => (method === 'eth_chainId' ? { result: '0x1' } : null)),
    'RPC_CHAIN_MISMATCH',
  ],
  ['calls no contracts', retold((method) => (method === 'eth_call' ? refused : null)), 'RPC_REFUSED'],
] as const)('where the endpoint %s nothing works, and no tool does anything', async (_what, answer, code) => {
  const world = await worlds.open({ retryPauseMs: 1 })
  behind(world, answer)
  const { local, elsewhere } = await list(world)
  expect(local).toMatchObject({ rpcHealthy: false, works: null, problem: expect.any(String) })
  expect(elsewhere).toMatchObject({ rpcHealthy: true, works: { crossChainTo: [] } })
  expect((await world.refuse('execute_swap', swap)).code).toBe(code)
  expect((await world.refuse('get_price_history', { token0: 'WETH', token1: 'USDC', fee: 500 })).code).toBe(code)
})

test('an endpoint without batches does what another does', async () => {
  const world = await worlds.open()
  const whole = (await list(world)).local
  await world.call('execute_swap', swap)
  const apart = await worlds.open()
  behind(apart, async (calls, truth) => (calls.length > 1 ? new Response('no batches', { status: 400 }) : truth()))
  expect((await list(apart)).local).toMatchObject({ rpcHealthy: true, works: whole.works })
  await apart.call('execute_swap', swap)
})

test('orders, destinations, rewards and vaults that are listed are those that the tools take', async () => {
  const world = await worlds.open()
  const { local, elsewhere, tradingApi } = await list(world)
  expect(tradingApi).toBe('none')
  expect(local.works).toMatchObject({ orders: false, crossChainTo: ['elsewhere'], rewards: true })
  expect(elsewhere.works?.crossChainTo).toEqual(['local'])
  expect((await world.refuse('submit_uniswapx_order', order)).code).toBe('API_KEY_NOT_CONFIGURED')
  await world.call('submit_cross_chain_intent', { ...bridged, destinationChain: 'elsewhere' })
  expect((await world.refuse('get_claimable_rewards')).code).toBe('REWARDS_UNAVAILABLE')
  expect(local.works?.vaults).toEqual(worlds.origin().vaults.map(({ address }) => address))
  await world.call('vault_deposit', deposit())

  const keyed = await trading.open()
  expect(await list(keyed)).toMatchObject({ tradingApi: 'all', local: { works: { orders: true, crossChainTo: [] } } })
  await keyed.call('submit_uniswapx_order', order)
  expect((await keyed.refuse('submit_cross_chain_intent', { ...bridged, destinationChain: 'local' })).code).toBe(
    'VALIDATION_FAILED',
  )
})

test('where the endpoint cannot simulate no vault is listed, and none is paid into', async () => {
  const world = await worlds.open()
  behind(
    world,
    retold((method) => (method === 'eth_simulateV1' ? refused : null)),
  )
  expect((await list(world)).local.works?.vaults).toEqual([])
  expect((await world.refuse('vault_deposit', deposit())).code).toBe('SIMULATION_UNAVAILABLE')
})
