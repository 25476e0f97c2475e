import { type Chain, findChain, chains } from '@svc/wallet/core'
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters, stringToHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { identityRegistryAbi } from './calldata-forms.ts'
import {
  erc20Abi,
  rewardDistributorAbi,
  universalRouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
} from '@svc/amm/abis'
import { poolIdOf } from '@svc/amm/liquidity'
import { planSwapV4 } from '../../../amm/src/liquidity/v4/plan-swap.ts'
import type { Pool, Token } from '@svc/amm'
import { contractNames, describeCalldata } from './describe-calldata.ts'

const chain = findChain(chains, 'base')!
const { v3, v4, universalRouter } = chain.amm
const stranger = '0x00000000000000000000000000000000DeaDBeef'
const facts = {
  amountIn: 3_000_000_000n,
  amountOut: 1000n,
  version: 'v4',
  priceImpactBps: 0,
  gasEstimate: 0n,
  blockNumber: 1n,
} as const
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address

const [weth, dollar, tether] = [
  chain.wrappedNative.address,
  usdc,
  '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2' as const,
].map((address): Token => ({
  address,
  symbol: 'T',
  name: 'T',
  decimals: 18,
  isNative: false,
  listed: true,
  usdPegged: false,
})) as [Token, Token, Token]

describe('calldata for a person', () => {
  it('names what a chain has where versions are missing', () => {
    const bare: Chain = { ...chain, amm: {} }
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [stranger, 5n] })
    expect(describeCalldata(bare, { to: usdc, data }).contract).toBe('the token USDC')
    expect(describeCalldata(bare, { to: v3!.positionManager, data }).contract).toBeNull()
  })

  it('names contract, function and arguments of a token', () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [stranger, 5_000_000n] })
    expect(describeCalldata(chain, { to: usdc, data })).toEqual({
      contract: 'the token USDC',
      calls: [{ function: 'approve', arguments: { spender: stranger, amount: '5000000' }, tokens: { amount: usdc } }],
    })
  })

  it('shows what is claimed of which rewards for whom, without the proofs', () => {
    const args = [[stranger], [usdc], [5_000_000n], [[`0x${'ab'.repeat(32)}`]]] as const
    const data = encodeFunctionData({ abi: rewardDistributorAbi, functionName: 'claim', args })
    const proofs = '1, not shown'
    expect(describeCalldata(chain, { to: chain.rewardDistributor!, data })).toEqual({
      contract: 'the distributor of rewards',
      calls: [
        {
          function: 'claim',
          arguments: { users: `[${stranger}]`, tokens: `[${usdc}]`, amounts: '[5000000]', proofs },
          tokens: {},
        },
      ],
    })
  })

  it('shows what an agent would be registered as', () => {
    const file = Buffer.from(JSON.stringify({ name: 'agent \u202e' })).toString('base64')
    const agentURI = `data:application/json;base64,${file}`
    const metadata = [{ metadataKey: 'role', metadataValue: stringToHex('vault_\u202emanager') }]
    const data = encodeFunctionData({ abi: identityRegistryAbi, functionName: 'register', args: [agentURI, metadata] })
    expect(describeCalldata(chain, { to: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432', data })).toEqual({
      contract: 'the identity registry',
      calls: [
        {
          function: 'register',
          arguments: {
            agentURI: `${agentURI}, which holds {"name":"agent \\u202e"}`,
            metadata: `[{metadataKey role; metadataValue ${metadata[0]!.metadataValue}, which says vault_\\u202emanager}]`,
          },
          tokens: {},
        },
      ],
    })
  })

  it('takes a multicall apart and turns a deadline into a time', () => {
    const decrease = encodeFunctionData({
      abi: v3PositionManagerAbi,
      functionName: 'decreaseLiquidity',
      args: [{ tokenId: 7n, liquidity: 1n, amount0Min: 2n, amount1Min: 3n, deadline: 1_800_000_000n }],
    })
    const sweep = encodeFunctionData({
      abi: v3PositionManagerAbi,
      functionName: 'sweepToken',
      args: [usdc, 0n, stranger],
    })
    const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [[decrease, sweep]] })
    expect(describeCalldata(chain, { to: v3!.positionManager, data })).toEqual({
      contract: 'the v3 position manager',
      calls: [
        {
          function: 'decreaseLiquidity',
          arguments: {
            tokenId: '7',
            liquidity: '1',
            amount0Min: '2',
            amount1Min: '3',
            deadline: '2027-01-15T08:00:00.000Z',
          },
          tokens: {},
        },
        {
          function: 'sweepToken',
          arguments: { token: usdc, amountMinimum: '0', recipient: stranger },
          tokens: { amountMinimum: usdc },
        },
      ],
    })
  })

  it('shows where a v4 take and a router sweep go', () => {
    const take = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [usdc, stranger, 9n])
    const unlock = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x0e06', [take, '0x1234']])
    const modify = encodeFunctionData({
      abi: v4PositionManagerAbi,
      functionName: 'modifyLiquidities',
      args: [unlock, 1n],
    })
    const actions = [
      { function: 'take', arguments: { currency: usdc, recipient: stranger, amount: '9' }, tokens: { amount: usdc } },
      { function: 'swap exact in, one pool', arguments: { data: '0x1234' }, tokens: {} },
    ]
    expect(describeCalldata(chain, { to: v4!.positionManager, data: modify }).calls).toEqual(actions)
    const sweep = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [usdc, stranger, 1n])
    const data = encodeFunctionData({
      abi: universalRouterAbi,
      functionName: 'execute',
      args: ['0x1004', [unlock, sweep], 1n],
    })
    expect(describeCalldata(chain, { to: universalRouter!.address, data }).calls).toEqual([
      ...actions,
      {
        function: 'sweep',
        arguments: { token: usdc, recipient: stranger, amountMin: '1' },
        tokens: { amountMin: usdc },
      },
    ])
  })

  describe.each(['2.0', '2.1.0', '2.1.1'] as const)('a v4 swap for router %s', (version) => {
    const world = { ...chain, amm: { ...chain.amm, universalRouter: { ...universalRouter!, version } } }
    const other = version === '2.1.1' ? '2.0' : '2.1.1'
    const request = { slippageBps: 50, deadline: 1_800_000_000, recipient: stranger } as const
    const shown = (pools: readonly Pool[], tokenIn: Token, tokenOut: Token, of: Chain = world, isExactOut = false) => {
      const quote = {
        ...facts,
        ...(isExactOut ? { isExactOut } : {}),
        route: pools.map((pool) => ({ pool, tokenIn: pool.token0, tokenOut: pool.token1 })),
      }
      const [call] = planSwapV4(world, quote, { ...request, tokenIn, tokenOut }).intent.calls
      return describeCalldata(of, call!).calls
    }

    it('shows the pool, the way, both amounts, what is paid and where it goes', () => {
      const hop = version === '2.1.1' ? { minHopPriceX36: '0, no bound' } : {}
      const key = { fee: '500', tickSpacing: '10', hooks: `${zeroAddress}, none` }
      const [swap, settle, take] = shown([poolOf(weth, dollar)], dollar, weth)
      expect(swap).toEqual({
        function: 'swap exact in, one pool',
        arguments: {
          currency0: weth.address,
          currency1: usdc,
          ...key,
          zeroForOne: 'false',
          amountIn: '3000000000',
          amountOutMinimum: '995',
          ...hop,
          hookData: '0x',
        },
        tokens: { amountIn: usdc, amountOutMinimum: weth.address },
      })
      expect(settle).toMatchObject({ function: 'settle all', arguments: { currency: usdc, maxAmount: '3000000000' } })
      expect(settle?.tokens).toEqual({ maxAmount: usdc })
      expect(take?.arguments).toEqual({
        currency: weth.address,
        recipient: stranger,
        amount: '0, which stands for everything owed',
      })
      const native = { ...weth, address: zeroAddress, isNative: true }
      const [paid] = shown([poolOf(native, dollar)], native, dollar)
      expect(paid?.arguments).toMatchObject({ currency0: `${zeroAddress}, the native currency`, zeroForOne: 'true' })
      expect(paid?.tokens).toEqual({ amountIn: zeroAddress, amountOutMinimum: usdc })
    })

    it('shows every hop of a path', () => {
      const bounds = version === '2.0' ? {} : { minHopPriceX36: '[]' }
      const [swap] = shown([poolOf(weth, dollar), poolOf(dollar, tether)], weth, tether)
      const hop = ({ address }: Token) =>
        `{intermediateCurrency ${address}; fee 500; tickSpacing 10; hooks ${zeroAddress}, none; hookData 0x}`
      expect(swap).toEqual({
        function: 'swap exact in',
        arguments: {
          currencyIn: weth.address,
          path: `[${hop(dollar)}, ${hop(tether)}]`,
          ...bounds,
          amountIn: '3000000000',
          amountOutMinimum: '995',
        },
        tokens: { amountIn: weth.address, amountOutMinimum: tether.address },
      })
    })

    it('shows an exact output, through one pool and along a path, by the most that it takes', () => {
      const amounts = { amountOut: '1000', amountInMaximum: '3015000000' }
      const [one, settle, take] = shown([poolOf(weth, dollar)], dollar, weth, world, true)
      expect(one).toMatchObject({
        function: 'swap exact out, one pool',
        arguments: { zeroForOne: 'false', ...amounts },
      })
      expect(one?.tokens).toEqual({ amountOut: weth.address, amountInMaximum: usdc })
      expect([settle?.arguments['maxAmount'], take?.arguments['amount']]).toEqual(['3015000000', '1000'])
      const [path] = shown([poolOf(weth, dollar), poolOf(dollar, tether)], weth, tether, world, true)
      expect(path).toMatchObject({ function: 'swap exact out', arguments: { currencyOut: tether.address, ...amounts } })
      expect(path?.arguments['path']).toMatch(
        new RegExp(`^\\[{intermediateCurrency ${weth.address};.*${dollar.address};`),
      )
      expect(path?.tokens).toEqual({ amountOut: tether.address, amountInMaximum: weth.address })
    })

    it('leaves the layout of another router whole', () => {
      const strange = {
        ...chain,
        amm: { ...chain.amm, universalRouter: { ...universalRouter!, version: other } },
      } as const
      const [swap] = shown([poolOf(weth, dollar)], dollar, weth, strange)
      expect(Object.keys(swap?.arguments ?? {})).toEqual(['data'])
    })
  })

  it('reads an allowance of a token that the chain does not list, where it is known to be one', () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [v3!.swapRouter02, 7n] })
    expect(describeCalldata(chain, { to: stranger, data, isToken: true })).toEqual({
      contract: "a token outside the chain's list",
      calls: [
        {
          function: 'approve',
          arguments: { spender: v3!.swapRouter02, amount: '7' },
          tokens: { amount: stranger },
        },
      ],
    })
    expect(describeCalldata(chain, { to: usdc, data, isToken: true }).contract).toBe('the token USDC')
  })

  it('leaves whole what it does not know, and never throws', () => {
    const unknown = (data: `0x${string}`) => [{ function: 'not decoded', arguments: { data }, tokens: {} }]
    expect(describeCalldata(chain, { to: stranger, data: '0x12345678' })).toEqual({ contract: null, calls: [] })
    expect(describeCalldata(chain, { to: usdc, data: '0x' }).calls).toEqual([])
    expect(describeCalldata(chain, { to: usdc, data: '0x1234' }).calls).toEqual(unknown('0x1234'))
    expect(describeCalldata(chain, { to: usdc, data: '0x12345678' }).calls).toEqual(unknown('0x12345678'))
    const nest = (data: `0x${string}`, times: number): `0x${string}` =>
      times === 0
        ? data
        : nest(encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'multicall', args: [1n, [data]] }), times - 1)
    const deep = describeCalldata(chain, { to: v3!.swapRouter02, data: nest('0x12345678', 40) })
    expect(deep.calls).toEqual([
      { function: 'not decoded', arguments: { data: expect.stringMatching(/\d+ bytes/) }, tokens: {} },
    ])
  })
})

it('names the wallet among the addresses of a call, so that a person sees who is paid', () => {
  const wallet = '0xd8A6e4B9b4AD17DCa6a98A6DAFC7f66790F86D59'
  const nameOf = contractNames(chain, wallet)
  expect([nameOf(wallet), nameOf(wallet.toLowerCase())]).toEqual(['the wallet itself', 'the wallet itself'])
  expect(nameOf(chain.amm.v3!.swapRouter02)).toBe('the v3 swap router')
  expect([nameOf('0x00000000000000000000000000000000000000AA'), nameOf('500')]).toEqual([null, null])
})

function poolOf(token0: Token, token1: Token): Pool {
  const key = { currency0: token0.address, currency1: token1.address, fee: 500, tickSpacing: 10, hooks: zeroAddress }
  return {
    version: 'v4',
    id: poolIdOf(key),
    token0,
    token1,
    fee: 500,
    tickSpacing: 10,
    hooks: null,
    sqrtPriceX96: 2n ** 96n,
    tick: 0,
    liquidity: 1n,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFee: 0,
    blockNumber: 1n,
  }
}
