import { useDevnet } from '@svc/devnet/testing'
import { toFunctionSelector, type Hex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, owner, type World } from './chain-world.fixture.ts'

const devnet = useDevnet()
let world: World
beforeEach(async () => {
  world = await openWorld(devnet(), { retryPauseMs: 1 })
})
afterEach(() => world.close())

/** What is said in place of the truth. */
type Lie = (truth: unknown, params: readonly unknown[]) => unknown

/** What else is wrong with answers is held against each method by itself, where they come in. */
const lies: Readonly<Record<string, Lie>> = {
  null: () => null,
  true: () => true,
  text: () => 'garbage',
  'a list': () => [null],
  'its members as garbage': (truth) => changed(truth, 'garbage'),
}

type RpcCall = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type RpcAnswer = { readonly id: number; readonly result?: unknown }

/** Runs with an endpoint that lies about one method, or about none; `methods` are those that were asked. */
async function under(method: string | null, lie: Lie, act: () => Promise<void>): Promise<ReadonlySet<string>> {
  const methods = new Set<string>()
  const truth = world.network.fetch
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const calls = [JSON.parse(body) as RpcCall | RpcCall[]].flat()
    for (const call of calls) methods.add(call.method)
    const answer = await truth(input, init)
    const reported = (one: RpcAnswer) => {
      const call = calls.find(({ id }) => id === one.id)
      return call?.method === method && 'result' in one ? { ...one, result: lie(one.result, call.params) } : one
    }
    const answers = (await answer.json()) as RpcAnswer | RpcAnswer[]
    return Response.json(Array.isArray(answers) ? answers.map(reported) : reported(answers))
  }
  try {
    await act()
  } finally {
    world.network.fetch = truth
  }
  return methods
}

const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', dryRun: true }
const spender = '0x00000000000000000000000000000000000000aa'

/** Tools, and the methods without whose answer they have none. */
const asked: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
  ['get_gas_price', {}, ['eth_feeHistory', 'eth_getBlockByNumber']],
  ['get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' }, ['eth_feeHistory', 'eth_call']],
  ['get_token_info', { token: 'USDC' }, ['eth_getStorageAt', 'eth_call']],
  ['get_token_price', { token: 'WETH' }, ['eth_call']],
  ['get_agent_balance', {}, ['eth_call']],
  ['provision_wallet', {}, ['eth_getBalance', 'eth_feeHistory']],
  ['approve_token', { token: 'USDC', spender, amount: '1', dryRun: true }, ['eth_call', 'eth_getTransactionCount']],
  ['execute_swap', swap, ['eth_getBalance', 'eth_getTransactionCount', 'eth_call']],
]

test.each(asked)('%s says that the endpoint is at fault, not that the server is', async (name, args, needed) => {
  await expectOwnWords(name, args, needed)
})

test('get_transaction_status and get_position_performance say so of a transaction', async () => {
  const add = { token0: 'WETH', token1: 'USDC', fee: 3000, amount0: '1', amount1: '3000', rangeStrategy: 'full' }
  const opened = await world.call('add_liquidity', add)
  // A receipt that is none is no failure of the call: it answers that the transaction is unread.
  await expectOwnWords('get_transaction_status', { txHash: opened.text('txHash') }, [])
  await expectOwnWords('get_position_performance', { positionId: opened.text('positionId') }, ['eth_getLogs'])
})

test('the tools of vaults say so, too', async () => {
  const vault = devnet().vaults[0]!.address
  await expectOwnWords('get_vault_info', { vault }, ['eth_call', 'eth_getBlockByNumber'])
  await expectOwnWords('vault_simulate_deposit', { vault, amount: '1' }, ['eth_getBlockByNumber'])
})

/** A lie about calls of one function of a contract. */
function ofFunction(selector: Hex, answer: Hex): Lie {
  return (truth, [call]) => (JSON.stringify(call).includes(`"data":"${selector}`) ? answer : truth)
}

test('what a contract itself answers badly spoils no more than that', async () => {
  const noSupply = ofFunction(toFunctionSelector('totalSupply()'), '0x')
  await under('eth_call', noSupply, async () => {
    const { data } = await world.call('get_token_info', { token: 'WETH' })
    expect(data).toMatchObject({ totalSupply: null, decimals: 18, notes: [expect.stringContaining('supply')] })
  })
  const noAllowance = ofFunction(toFunctionSelector('allowance(address,address)'), '0x1234')
  await under('eth_call', noAllowance, async () => {
    const args = { token: 'WETH', spender, amount: '1', dryRun: true }
    expect(await world.refuse('approve_token', args)).toMatchObject({ code: 'RPC_REFUSED', retryable: true })
    expect(await world.refuse('execute_swap', swap)).toMatchObject({ code: 'RPC_REFUSED', retryable: true })
  })
})

test('the address of a pool to come is asked of a contract that answers', async () => {
  const pair = { token0: 'WBTC', token1: 'DAI', amount0: '0.01', amount1: '600', dryRun: true }
  for (const [version, signature] of [
    ['v2', 'getPair(address,address)'],
    ['v3', 'createAndInitializePoolIfNecessary(address,address,uint24,uint160)'],
  ] as const) {
    await under('eth_call', ofFunction(toFunctionSelector(signature), '0x'), async () => {
      const refused = await world.refuse('add_liquidity', {
        ...pair,
        version,
        ...(version === 'v3' && { fee: 100, rangeStrategy: 'full' }),
      })
      expect(refused).toMatchObject({ code: 'RPC_REFUSED' })
    })
  }
})

/** Under every lie about every method that the call asks. */
async function expectOwnWords(
  name: string,
  args: Readonly<Record<string, unknown>>,
  needed: readonly string[],
): Promise<void> {
  const call = async () => {
    const request = {
      name,
      arguments: { chain: 'local', ...args },
      principal: owner,
      signal: AbortSignal.timeout(60_000),
    }
    return (await world.dispatch.call(request))._meta?.['svc/error']
  }
  const methods = await under(
    null,
    (truth) => truth,
    async () => expect(await call()).toBeUndefined(),
  )
  expect([...methods]).toEqual(expect.arrayContaining([...needed]))
  for (const method of methods) {
    for (const [lie, tell] of Object.entries(lies)) {
      await under(method, tell, async () => {
        const error = await call()
        const codes = needed.includes(method)
          ? /^RPC_/
          : /^(none|RPC_\w+|SIMULATION_UNAVAILABLE|TRANSACTION_NOT_FOUND)$/
        expect(`${method}, ${lie}: ${error?.code ?? 'none'}`).toMatch(new RegExp(`: ${codes.source.slice(1)}`))
        expect(error?.message ?? '').not.toMatch(/garbage|undefined|0x|viem/i)
      })
    }
  }
}

function changed(truth: unknown, member: unknown): unknown {
  if (typeof truth !== 'object' || truth === null || Array.isArray(truth)) return member
  return Object.fromEntries(Object.keys(truth).map((name) => [name, member]))
}
