import { findChain, chains } from '@svc/wallet'
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { erc20Abi } from '../adapters/liquidity/abis/erc20.ts'
import { v3PositionManagerAbi } from '../adapters/liquidity/abis/v3-position-manager.ts'
import { v3SwapRouter02Abi } from '../adapters/liquidity/abis/v3-swap-router02.ts'
import { universalRouterAbi } from '../adapters/liquidity/abis/universal-router.ts'
import { v4PositionManagerAbi } from '../adapters/liquidity/abis/v4-position-manager.ts'
import { describeCalldata } from './describe-calldata.ts'

const chain = findChain(chains, 'base')!
const { v3, v4, universalRouter } = chain.amm
const stranger = '0x00000000000000000000000000000000DeaDBeef'
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address

describe('calldata for a person', () => {
  it('names contract, function and arguments of a token', () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [stranger, 5_000_000n] })
    expect(describeCalldata(chain, { to: usdc, data })).toEqual({
      contract: 'the token USDC',
      calls: [{ function: 'approve', arguments: { spender: stranger, amount: '5000000' }, tokens: { amount: usdc } }],
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
