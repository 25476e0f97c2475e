import { useDevnet } from '@svc/devnet/testing'
import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  parseUnits,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { erc20Abi, universalRouterAbi, v2RouterAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { v2PairAddress } from '@svc/amm/liquidity'
import type { Intent } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import {
  approvalOf,
  laterDeadline,
  mintIntent,
  removeIntent,
  routerSwapIntent,
  swapIntent,
  wethAndUsdc,
} from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const itself: Address = '0x0000000000000000000000000000000000000002'

describe('G6: what a called contract would keep, anybody takes', () => {
  it.each(['nobody', 'the manager'])('v3: a position emptied by collecting to %s', async (whom) => {
    const pipeline = await withPosition()
    const manager = pipeline.chain.amm.v3!.positionManager
    const intent = await drained(pipeline, whom === 'nobody' ? zeroAddress : manager)
    await expectRefused(pipeline, intent, 'RECIPIENT_NOT_ALLOWED')
  })

  it('v3: one of two tokens left behind is measured', async () => {
    const pipeline = await withPosition()
    const payouts = [
      v3('sweepToken', [pipeline.token('USDC'), 0n, pipeline.wallet]),
      v3('sweepToken', [pipeline.token('FOT'), 0n, pipeline.wallet]),
    ]
    await expectRefused(pipeline, await drained(pipeline, zeroAddress, payouts), 'UNSAFE_TRANSACTION')
    const honest = [payouts[0]!, v3('unwrapWETH9', [0n, pipeline.wallet])]
    const before = await pipeline.balance('USDC')
    await pipeline.run(await drained(pipeline, zeroAddress, honest))
    expect(await pipeline.balance('USDC')).toBeGreaterThan(before)
  })

  it('v3: liquidity freed and not collected', async () => {
    const pipeline = await withPosition()
    const honest = await removeIntent(pipeline)
    const tokenId = await positionOf(pipeline)
    const args = [{ tokenId, liquidity: 1_000_000n, amount0Min: 0n, amount1Min: 0n, deadline: laterDeadline(0) }]
    const call = { ...honest.calls[0]!, data: v3('decreaseLiquidity', args) }
    await expectRefused(pipeline, { ...honest, calls: [call], receives: [] }, 'UNSAFE_TRANSACTION')
  })

  it('v2: shares removed to the router', async () => {
    const { pipeline, pair, shares } = await withShares()
    const router = pipeline.chain.amm.v2!.router
    const args = [pipeline.token('USDC'), pipeline.token('WETH'), shares, 0n, 0n, router, laterDeadline(0)] as const
    const data = encodeFunctionData({ abi: v2RouterAbi, functionName: 'removeLiquidity', args })
    await expectRefused(pipeline, ofShares(pipeline, pair, shares, data), 'RECIPIENT_NOT_ALLOWED')
  })

  it.each<readonly [string, 'RECIPIENT_NOT_ALLOWED' | 'CONTRACT_NOT_ALLOWED', Hex, (pipeline: Pipeline) => Hex]>([
    ['take', 'RECIPIENT_NOT_ALLOWED', '0x0e', (pipeline) => take(pipeline, itself)],
    ['sweep', 'RECIPIENT_NOT_ALLOWED', '0x14', (pipeline) => sweep(pipeline, itself)],
    [
      'take to its address',
      'RECIPIENT_NOT_ALLOWED',
      '0x0e',
      (pipeline) => take(pipeline, pipeline.chain.amm.v4!.positionManager),
    ],
    ['clear or take', 'CONTRACT_NOT_ALLOWED', '0x13', (pipeline) => take(pipeline, pipeline.wallet)],
  ])('v4: %s', async (_what, code, action, parameters) => {
    const pipeline = await open()
    const unlock = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [action, [parameters(pipeline)]])
    const args = [unlock, laterDeadline(0)] as const
    const data = encodeFunctionData({ abi: v4PositionManagerAbi, functionName: 'modifyLiquidities', args })
    const call = { to: pipeline.chain.amm.v4!.positionManager, data, valueWei: 0n, label: 'collect fees' }
    await expectRefused(
      pipeline,
      { ...swapIntent(pipeline, '1'), calls: [call], spends: [], receives: [], approvals: [] },
      code,
    )
  })

  it('universal router: a swap whose proceeds stay', async () => {
    const pipeline = await open()
    const honest = routerSwapIntent(pipeline, '100')
    const path = `${pipeline.token('USDC')}0001f4${pipeline.token('WETH').slice(2)}` as const
    const parameters = parseAbiParameters('address, uint256, uint256, bytes, bool')
    const input = encodeAbiParameters(parameters, [itself, parseUnits('100', 6), 1n, path, true])
    const args = ['0x00', [input], laterDeadline(0)] as const
    const data = encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args })
    const calls = [{ ...honest.calls[0]!, data }]
    await expectRefused(pipeline, { ...honest, calls, receives: [] }, 'RECIPIENT_NOT_ALLOWED')
  })

  it('native currency sent along and not taken back is measured', async () => {
    const pipeline = await open()
    const honest = await mintIntent(pipeline)
    const calls = [{ ...honest.calls[0]!, valueWei: parseUnits('1', 18) }]
    const spends = [...honest.spends, { token: zeroAddress, amount: parseUnits('1', 18) }]
    await expectRefused(pipeline, { ...honest, calls, spends }, 'UNSAFE_TRANSACTION')
  })
})

describe('G6: a position of somebody else', () => {
  it('v3: takes nothing of ours', async () => {
    const theirs = await open()
    await theirs.run(await mintIntent(theirs))
    const tokenId = await positionOf(theirs)
    const pipeline = await open()
    await expectRefused(pipeline, await increaseOf(pipeline, 'v3', tokenId), 'RECIPIENT_NOT_ALLOWED')
  })

  it('v4: takes nothing of ours', async () => {
    const pipeline = await open()
    const [currency0, currency1] = wethAndUsdc(pipeline)
    const them = await createChainActor(devnet(), devnet().accounts[7]!.address)
    const key = { currency0, currency1, fee: 777, tickSpacing: 10, hooks: zeroAddress }
    await them.initializeV4(key, 2n ** 96n)
    const tokenId = await them.mintV4(key, -887_270, 887_270, 10n ** 6n)
    const to = pipeline.chain.amm.v4!.positionManager
    // v4 lets only whom the owner approved: a thief would.
    await them.write(to, parseAbi(['function approve(address spender, uint256 id)']), 'approve', [
      pipeline.wallet,
      tokenId,
    ])
    await expectRefused(pipeline, await increaseOf(pipeline, 'v4', tokenId), 'RECIPIENT_NOT_ALLOWED')
  })
})

describe('G8: a strict list of tokens', () => {
  it('holds for a token that is bought and not declared', async () => {
    const pipeline = await open({ policy: { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } })
    const seller = await createChainActor(devnet(), devnet().accounts[5]!.address)
    const junk = devnet().tokens.find(({ symbol }) => symbol === 'HOSTILE')!.address
    await seller.addV2(pipeline.token('USDC'), junk, 10n ** 6n, 10n ** 12n)
    const router = pipeline.chain.amm.v2!.router
    const amountIn = parseUnits('400', 6)
    const args = [amountIn, 0n, [pipeline.token('USDC'), junk], pipeline.wallet, laterDeadline(0)] as const
    const data = encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
      args,
    })
    const approvals = [approvalOf(pipeline.token('USDC'), router, amountIn)]
    const calls = [{ to: router, data, valueWei: 0n, label: 'swap' }]
    const intent = { ...swapIntent(pipeline, '400'), calls, approvals, receives: [] }
    await expectRefused(pipeline, intent, 'TOKEN_NOT_ALLOWLISTED')
  })
})

function v3(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = v3PositionManagerAbi
  return encodeFunctionData({ abi, functionName, args })
}

function positionOf(pipeline: Pipeline): Promise<bigint> {
  const address = pipeline.chain.amm.v3!.positionManager
  const args = [pipeline.wallet, 0n] as const
  const read = { address, abi: v3PositionManagerAbi, functionName: 'tokenOfOwnerByIndex', args } as const
  return pipeline.rpc.client(pipeline.chain).readContract(read)
}

/** Everything out of the wallet's position to `recipient`, the rest of the call behind it, nothing declared. */
async function drained(pipeline: Pipeline, recipient: Address, more: readonly Hex[] = []): Promise<Intent> {
  const honest = await removeIntent(pipeline)
  const tokenId = await positionOf(pipeline)
  const read = { address: pipeline.chain.amm.v3!.positionManager, abi: v3PositionManagerAbi } as const
  const client = pipeline.rpc.client(pipeline.chain)
  const position = await client.readContract({ ...read, functionName: 'positions', args: [tokenId] })
  const most = 2n ** 128n - 1n
  const bounds = { amount0Min: 0n, amount1Min: 0n, deadline: laterDeadline(0) }
  const steps = [
    v3('decreaseLiquidity', [{ tokenId, liquidity: position[7], ...bounds }]),
    v3('collect', [{ tokenId, recipient, amount0Max: most, amount1Max: most }]),
    ...more,
    v3('burn', [tokenId]),
  ]
  return { ...honest, calls: [{ ...honest.calls[0]!, data: v3('multicall', [steps]) }], receives: [], recipients: [] }
}

/** A little more for a position of anybody, declared as if it were the wallet's. */
async function increaseOf(pipeline: Pipeline, version: 'v3' | 'v4', tokenId: bigint): Promise<Intent> {
  const position = await pipeline.liquidity.position(pipeline.chain, version, `${tokenId}`)
  const { intent } = await pipeline.liquidity.planIncrease(pipeline.chain, position, {
    amount0: 10n ** 6n,
    amount1: null,
    payNative: false,
    slippageBps: 50,
    deadline: Number(laterDeadline(0)),
  })
  const [deposit] = intent.deposits!
  return { ...intent, deposits: [{ ...deposit!, recipient: pipeline.wallet }] }
}

/** A pipeline whose wallet holds a v3 position, and which has done nothing itself. */
async function withPosition(): Promise<Pipeline> {
  const minter = await open()
  await minter.run(await mintIntent(minter))
  return open({ privateKey: minter.privateKey })
}

async function withShares() {
  const { address, privateKey } = devnet().accounts[6]!
  const pipeline = await open({ privateKey })
  const actor = await createChainActor(devnet(), address)
  await actor.addV2(pipeline.token('USDC'), pipeline.token('WETH'), parseUnits('600', 6), parseUnits('0.2', 18))
  const [token0, token1] = [pipeline.token('USDC'), pipeline.token('WETH')].sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  ) as [Address, Address]
  const pair = v2PairAddress(pipeline.chain.amm.v2!, token0, token1)
  const read = { address: pair, abi: erc20Abi, functionName: 'balanceOf', args: [pipeline.wallet] } as const
  return { pipeline, pair, shares: await pipeline.rpc.client(pipeline.chain).readContract(read) }
}

function ofShares(pipeline: Pipeline, pair: Address, shares: bigint, data: Hex): Intent {
  const router = pipeline.chain.amm.v2!.router
  return {
    ...swapIntent(pipeline, '1'),
    calls: [{ to: router, data, valueWei: 0n, label: 'remove liquidity' }],
    spends: [{ token: pair, amount: shares }],
    receives: [],
    approvals: [approvalOf(pair, router, shares)],
    recipients: [],
  }
}

function take(pipeline: Pipeline, recipient: Address): Hex {
  return encodeAbiParameters(parseAbiParameters('address, address, uint256'), [pipeline.token('USDC'), recipient, 0n])
}

function sweep(pipeline: Pipeline, recipient: Address): Hex {
  return encodeAbiParameters(parseAbiParameters('address, address'), [pipeline.token('USDC'), recipient])
}
