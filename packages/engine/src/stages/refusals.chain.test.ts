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
import { erc20Abi, universalRouterAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import type { ErrorCode, Intent } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { approvalOf, mintIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const stranger: Address = '0x00000000000000000000000000000000000bad00'

describe('G6: an intent that does more than it declares', () => {
  it('more leaves than declared', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    const intent = swapIntent(pipeline, '300', {
      amountIn: parseUnits('301', 6),
      intent: { approvals: [approvalOf(pipeline.token('USDC'), router, parseUnits('301', 6))] },
    })
    await expectRefused(pipeline, intent, 'UNSAFE_TRANSACTION')
  })

  it('a token leaves that is not declared', async () => {
    const pipeline = await open()
    const honest = await mintIntent(pipeline)
    const intent = { ...honest, spends: honest.spends.filter(({ token }) => token === pipeline.token('USDC')) }
    await expectRefused(pipeline, intent, 'UNSAFE_TRANSACTION')
  })

  it('less arrives than declared', async () => {
    const pipeline = await open()
    const intent = swapIntent(pipeline, '300', {
      intent: { receives: [{ token: pipeline.token('WETH'), amount: parseUnits('1', 18) }] },
    })
    await expectRefused(pipeline, intent, 'UNSAFE_TRANSACTION')
  })

  it('more is pulled than its exact approval', async () => {
    const pipeline = await open()
    await expectRefused(pipeline, swapIntent(pipeline, '300', { amountIn: parseUnits('301', 6) }), 'SIMULATION_FAILED')
  })

  it('a declared transfer is taxed on the way: the simulation shows it, not the declaration', async () => {
    const pipeline = await open({ policy: { allowlist: { mode: 'lenient' } } })
    const amount = parseUnits('10', 18)
    const router = pipeline.chain.amm.v2!.router
    const data = encodeFunctionData({
      abi: parseAbi([
        'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
      ]),
      args: [
        amount,
        0n,
        [pipeline.token('FOT'), pipeline.token('WETH')],
        pipeline.wallet,
        BigInt(Math.floor(Date.now() / 1000) + 300),
      ],
    })
    const intent = {
      ...swapIntent(pipeline, '1'),
      calls: [{ to: router, data, valueWei: 0n, label: 'swap' }],
      spends: [{ token: pipeline.token('FOT'), amount }],
      approvals: [approvalOf(pipeline.token('FOT'), router, amount)],
    }
    await expectRefused(pipeline, intent, 'SIMULATION_FAILED')
  })
})

describe('an intent that pays somebody else', () => {
  it('in a nested call', async () => {
    const pipeline = await open()
    await expectRefused(pipeline, swapIntent(pipeline, '300', { recipient: stranger }), 'RECIPIENT_NOT_ALLOWED')
  })

  it('in what it declares', async () => {
    const pipeline = await open()
    const intent = swapIntent(pipeline, '300', { intent: { recipients: [stranger] } })
    await expectRefused(pipeline, intent, 'RECIPIENT_NOT_ALLOWED')
  })

  it('by minting the position to them', async () => {
    const pipeline = await open()
    await expectRefused(
      pipeline,
      { ...(await mintIntent(pipeline, stranger)), recipients: [] },
      'RECIPIENT_NOT_ALLOWED',
    )
  })

  it.each<readonly [string, (pipeline: Pipeline) => { readonly to: Address; readonly data: Hex }]>([
    [
      'v3: collecting to them inside a multicall',
      (pipeline) => {
        const collect = encodeFunctionData({
          abi: v3PositionManagerAbi,
          functionName: 'collect',
          args: [{ tokenId: 1n, recipient: stranger, amount0Max: 1n, amount1Max: 1n }],
        })
        const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [[collect]] })
        return { to: pipeline.chain.amm.v3!.positionManager, data }
      },
    ],
    [
      'v4: taking to them',
      (pipeline) => {
        const take = encodeAbiParameters(parseAbiParameters('address, address, address'), [
          pipeline.token('USDC'),
          pipeline.token('WETH'),
          stranger,
        ])
        const unlock = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x11', [take]])
        const data = encodeFunctionData({
          abi: v4PositionManagerAbi,
          functionName: 'modifyLiquidities',
          args: [unlock, BigInt(Math.floor(Date.now() / 1000) + 60)],
        })
        return { to: pipeline.chain.amm.v4!.positionManager, data }
      },
    ],
    [
      'universal router: sweeping to them',
      (pipeline) => {
        const sweep = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [
          pipeline.token('USDC'),
          stranger,
          0n,
        ])
        const data = encodeFunctionData({
          abi: universalRouterAbi,
          functionName: 'execute',
          args: ['0x04', [sweep], BigInt(Math.floor(Date.now() / 1000) + 60)],
        })
        return { to: pipeline.chain.amm.universalRouter!.address, data }
      },
    ],
  ])('%s', async (_what, build) => {
    const pipeline = await open()
    const call = { ...build(pipeline), valueWei: 0n, label: 'call' }
    const intent = swapIntent(pipeline, '1', { intent: { calls: [call], spends: [], receives: [], approvals: [] } })
    await expectRefused(pipeline, intent, 'RECIPIENT_NOT_ALLOWED')
  })

  it('unless the operator lists them', async () => {
    const pipeline = await open({ policy: { recipients: { [devnet().chainId]: [stranger] } } })
    const intent = swapIntent(pipeline, '1', { recipient: stranger, intent: { receives: [] } })
    await pipeline.run(intent)
    expect(await pipeline.balance('WETH', stranger)).toBeGreaterThan(0n)
  })
})

describe('an intent that gives rights away or calls what is not known', () => {
  const nftAbi = parseAbi([
    'function setApprovalForAll(address operator, bool approved)',
    'function safeTransferFrom(address from, address to, uint256 tokenId)',
  ])

  it.each<readonly [string, ErrorCode, (pipeline: Pipeline) => Partial<Intent>]>([
    [
      'an approval for a stranger',
      'SPENDER_NOT_ALLOWED',
      (pipeline) => ({ approvals: [approvalOf(pipeline.token('USDC'), stranger, 1n)] }),
    ],
    [
      'an approval without bounds',
      'UNSAFE_TRANSACTION',
      (pipeline) => ({
        approvals: [approvalOf(pipeline.token('USDC'), pipeline.chain.amm.v3!.swapRouter02, maxUint256)],
      }),
    ],
    [
      'an approval dressed up as a call',
      'CONTRACT_NOT_ALLOWED',
      (pipeline) => ({
        calls: [
          {
            to: pipeline.token('USDC'),
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
      (pipeline) => ({
        calls: [
          {
            to: pipeline.chain.amm.v3!.positionManager,
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
      (pipeline) => {
        const send = encodeFunctionData({
          abi: nftAbi,
          functionName: 'safeTransferFrom',
          args: [pipeline.wallet, stranger, 1n],
        })
        const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [[send]] })
        return { calls: [{ to: pipeline.chain.amm.v3!.positionManager, data, valueWei: 0n, label: 'collect' }] }
      },
    ],
    [
      'a claim to be one transaction',
      'UNSAFE_TRANSACTION',
      (pipeline) => ({ calls: [...swapIntent(pipeline, '1').calls, ...swapIntent(pipeline, '1').calls] }),
    ],
    ['a batch the wallet cannot make', 'ATOMIC_EXECUTION_UNAVAILABLE', () => ({ atomicity: 'batch-7702' })],
    ['slippage above the cap', 'SLIPPAGE_TOO_HIGH', () => ({ slippageBps: 501 })],
    ['a far deadline', 'DEADLINE_TOO_LONG', () => ({ deadline: Math.floor(Date.now() / 1000) + 3600 })],
  ])('%s', async (_what, code, change) => {
    const pipeline = await open()
    await expectRefused(pipeline, swapIntent(pipeline, '1', { intent: change(pipeline) }), code)
  })

  it('a deadline that only the calldata shows', async () => {
    const pipeline = await open()
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 3600)
    await expectRefused(
      pipeline,
      swapIntent(pipeline, '1', { deadline, intent: { deadline: null } }),
      'DEADLINE_TOO_LONG',
    )
  })

  it('a listed contract may be called, but not to move tokens directly', async () => {
    const pipeline = await open({ policy: { contracts: { [devnet().chainId]: [devnet().tokens[3]!.address] } } })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, 1n] })
    const calls = [{ to: devnet().tokens[3]!.address, data, valueWei: 0n, label: 'call' }]
    await expectRefused(
      pipeline,
      swapIntent(pipeline, '1', { intent: { calls, approvals: [] } }),
      'CONTRACT_NOT_ALLOWED',
    )
  })
})
