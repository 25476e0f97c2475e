import { useDevnet } from '@svc/devnet/testing'
import {
  type Address,
  type Hex,
  encodeAbiParameters,
  encodeFunctionData,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseUnits,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { erc20Abi } from '../adapters/liquidity/abis/erc20.ts'
import { universalRouterAbi } from '../adapters/liquidity/abis/universal-router.ts'
import { v3PositionManagerAbi } from '../adapters/liquidity/abis/v3-position-manager.ts'
import { v4PositionManagerAbi } from '../adapters/liquidity/abis/v4-position-manager.ts'
import type { ErrorCode } from '../errors.ts'
import type { Intent } from '../intent.ts'
import { expectRefused } from './expect-refused.fixture.ts'
import { approvalOf, mintIntent, swapIntent } from './intents.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)
const stranger: Address = '0x00000000000000000000000000000000000bad00'

describe('G6: an intent that does more than it declares', () => {
  it('more leaves than declared', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    const intent = swapIntent(road, '300', {
      amountIn: parseUnits('301', 6),
      intent: { approvals: [approvalOf(road.token('USDC'), router, parseUnits('301', 6))] },
    })
    await expectRefused(road, intent, 'UNSAFE_TRANSACTION')
  })

  it('a token leaves that is not declared', async () => {
    const road = await open()
    const honest = await mintIntent(road)
    const intent = { ...honest, spends: honest.spends.filter(({ token }) => token === road.token('USDC')) }
    await expectRefused(road, intent, 'UNSAFE_TRANSACTION')
  })

  it('less arrives than declared', async () => {
    const road = await open()
    const intent = swapIntent(road, '300', {
      intent: { receives: [{ token: road.token('WETH'), amount: parseUnits('1', 18) }] },
    })
    await expectRefused(road, intent, 'UNSAFE_TRANSACTION')
  })

  it('more is pulled than its exact approval', async () => {
    const road = await open()
    await expectRefused(road, swapIntent(road, '300', { amountIn: parseUnits('301', 6) }), 'SIMULATION_FAILED')
  })

  it('a declared transfer is taxed on the way: the simulation shows it, not the declaration', async () => {
    const road = await open({ policy: { allowlist: { mode: 'lenient' } } })
    const amount = parseUnits('10', 18)
    const router = road.chain.amm.v2!.router
    const data = encodeFunctionData({
      abi: parseAbi([
        'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
      ]),
      args: [
        amount,
        0n,
        [road.token('FOT'), road.token('WETH')],
        road.wallet,
        BigInt(Math.floor(Date.now() / 1000) + 300),
      ],
    })
    const intent = {
      ...swapIntent(road, '1'),
      calls: [{ to: router, data, valueWei: 0n, label: 'swap' }],
      spends: [{ token: road.token('FOT'), amount }],
      approvals: [approvalOf(road.token('FOT'), router, amount)],
    }
    await expectRefused(road, intent, 'SIMULATION_FAILED')
  })
})

describe('an intent that pays somebody else', () => {
  it('in a nested call', async () => {
    const road = await open()
    await expectRefused(road, swapIntent(road, '300', { recipient: stranger }), 'RECIPIENT_NOT_ALLOWED')
  })

  it('in what it declares', async () => {
    const road = await open()
    const intent = swapIntent(road, '300', { intent: { recipients: [stranger] } })
    await expectRefused(road, intent, 'RECIPIENT_NOT_ALLOWED')
  })

  it('by minting the position to them', async () => {
    const road = await open()
    await expectRefused(road, { ...(await mintIntent(road, stranger)), recipients: [] }, 'RECIPIENT_NOT_ALLOWED')
  })

  it.each<readonly [string, (road: Road) => { readonly to: Address; readonly data: Hex }]>([
    [
      'v3: collecting to them inside a multicall',
      (road) => {
        const collect = encodeFunctionData({
          abi: v3PositionManagerAbi,
          functionName: 'collect',
          args: [{ tokenId: 1n, recipient: stranger, amount0Max: 1n, amount1Max: 1n }],
        })
        const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [[collect]] })
        return { to: road.chain.amm.v3!.positionManager, data }
      },
    ],
    [
      'v4: taking to them',
      (road) => {
        const take = encodeAbiParameters(parseAbiParameters('address, address, address'), [
          road.token('USDC'),
          road.token('WETH'),
          stranger,
        ])
        const unlock = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x11', [take]])
        const data = encodeFunctionData({
          abi: v4PositionManagerAbi,
          functionName: 'modifyLiquidities',
          args: [unlock, BigInt(Math.floor(Date.now() / 1000) + 60)],
        })
        return { to: road.chain.amm.v4!.positionManager, data }
      },
    ],
    [
      'universal router: sweeping to them',
      (road) => {
        const sweep = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [
          road.token('USDC'),
          stranger,
          0n,
        ])
        const data = encodeFunctionData({
          abi: universalRouterAbi,
          functionName: 'execute',
          args: ['0x04', [sweep], BigInt(Math.floor(Date.now() / 1000) + 60)],
        })
        return { to: road.chain.amm.universalRouter!.address, data }
      },
    ],
  ])('%s', async (_what, build) => {
    const road = await open()
    const call = { ...build(road), valueWei: 0n, label: 'call' }
    const intent = swapIntent(road, '1', { intent: { calls: [call], spends: [], receives: [], approvals: [] } })
    await expectRefused(road, intent, 'RECIPIENT_NOT_ALLOWED')
  })

  it('unless the operator lists them', async () => {
    const road = await open({ policy: { recipients: { [devnet().chainId]: [stranger] } } })
    const intent = swapIntent(road, '1', { recipient: stranger, intent: { receives: [] } })
    await road.run(intent)
    expect(await road.balance('WETH', stranger)).toBeGreaterThan(0n)
  })
})

describe('an intent that gives rights away or calls what is not known', () => {
  const nftAbi = parseAbi([
    'function setApprovalForAll(address operator, bool approved)',
    'function safeTransferFrom(address from, address to, uint256 tokenId)',
  ])

  it.each<readonly [string, ErrorCode, (road: Road) => Partial<Intent>]>([
    [
      'an approval for a stranger',
      'SPENDER_NOT_ALLOWED',
      (road) => ({ approvals: [approvalOf(road.token('USDC'), stranger, 1n)] }),
    ],
    [
      'an approval without bounds',
      'UNSAFE_TRANSACTION',
      (road) => ({ approvals: [approvalOf(road.token('USDC'), road.chain.amm.v3!.swapRouter02, maxUint256)] }),
    ],
    [
      'an approval dressed up as a call',
      'CONTRACT_NOT_ALLOWED',
      (road) => ({
        calls: [
          {
            to: road.token('USDC'),
            data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [stranger, 1n] }),
            valueWei: 0n,
            label: 'swap',
          },
        ],
      }),
    ],
    [
      'a plain transfer of native currency',
      'CONTRACT_NOT_ALLOWED',
      () => ({ calls: [{ to: stranger, data: '0x', valueWei: 1n, label: 'tip' }] }),
    ],
    [
      'all positions handed to an operator',
      'CONTRACT_NOT_ALLOWED',
      (road) => ({
        calls: [
          {
            to: road.chain.amm.v3!.positionManager,
            data: encodeFunctionData({ abi: nftAbi, functionName: 'setApprovalForAll', args: [stranger, true] }),
            valueWei: 0n,
            label: 'collect',
          },
        ],
      }),
    ],
    [
      'a position sent to a stranger, wrapped into a multicall',
      'CONTRACT_NOT_ALLOWED',
      (road) => {
        const send = encodeFunctionData({
          abi: nftAbi,
          functionName: 'safeTransferFrom',
          args: [road.wallet, stranger, 1n],
        })
        const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [[send]] })
        return { calls: [{ to: road.chain.amm.v3!.positionManager, data, valueWei: 0n, label: 'collect' }] }
      },
    ],
    [
      'a claim to be one transaction',
      'UNSAFE_TRANSACTION',
      (road) => ({ calls: [...swapIntent(road, '1').calls, ...swapIntent(road, '1').calls] }),
    ],
    ['a batch the wallet cannot make', 'ATOMIC_EXECUTION_UNAVAILABLE', () => ({ atomicity: 'batch-7702' })],
    ['slippage above the cap', 'SLIPPAGE_TOO_HIGH', () => ({ slippageBps: 501 })],
    ['a far deadline', 'DEADLINE_TOO_LONG', () => ({ deadline: Math.floor(Date.now() / 1000) + 3600 })],
  ])('%s', async (_what, code, change) => {
    const road = await open()
    await expectRefused(road, swapIntent(road, '1', { intent: change(road) }), code)
  })

  it('a deadline that only the calldata shows', async () => {
    const road = await open()
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 3600)
    await expectRefused(road, swapIntent(road, '1', { deadline, intent: { deadline: null } }), 'DEADLINE_TOO_LONG')
  })

  it('a listed contract may be called, but not to move tokens directly', async () => {
    const road = await open({ policy: { contracts: { [devnet().chainId]: [devnet().tokens[3]!.address] } } })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, 1n] })
    const calls = [{ to: devnet().tokens[3]!.address, data, valueWei: 0n, label: 'call' }]
    await expectRefused(road, swapIntent(road, '1', { intent: { calls, approvals: [] } }), 'CONTRACT_NOT_ALLOWED')
  })
})
