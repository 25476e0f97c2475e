import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseUnits,
} from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { erc20Abi } from '../adapters/liquidity/abis/erc20.ts'
import { universalRouterAbi } from '../adapters/liquidity/abis/universal-router.ts'
import { v3PositionManagerAbi } from '../adapters/liquidity/abis/v3-position-manager.ts'
import { v4PositionManagerAbi } from '../adapters/liquidity/abis/v4-position-manager.ts'
import type { ErrorCode } from '../errors.ts'
import type { Intent } from '../intent.ts'
import { approvalOf, mintIntent, openRoad, type Road, type RoadOptions, swapIntent } from './open-road.fixture.ts'

const devnet = useDevnet()
const roads: Road[] = []
const stranger: Address = '0x00000000000000000000000000000000000bad00'

async function open(options: RoadOptions = {}): Promise<Road> {
  const road = await openRoad(devnet(), options)
  roads.push(road)
  return road
}

afterEach(async () => {
  await Promise.all(roads.splice(0).map((road) => road.close()))
})

/** The write is refused with this code, nothing is signed, nothing stays reserved, nothing is spent. */
async function expectRefused(road: Road, intent: Intent, code: ErrorCode): Promise<void> {
  const before = [await road.nonce(), await road.balance('USDC'), await road.balance('WETH')]
  await expect(road.run(intent)).rejects.toMatchObject({ code })
  expect([await road.nonce(), await road.balance('USDC'), await road.balance('WETH')]).toEqual(before)
  expect(road.trace).not.toContain('journal recordSigned')
  expect(await road.store.ledger.open()).toEqual([])
  expect(road.trace).toContain('audit tx.failed')
}

describe('an intent that does more than it declares', () => {
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
    const honest = mintIntent(road)
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
    await expectRefused(road, { ...mintIntent(road, stranger), recipients: [] }, 'RECIPIENT_NOT_ALLOWED')
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

describe('limits', () => {
  it('hold for one transaction to the cent', async () => {
    const road = await open({ policy: { limitsUsd: { perTransaction: '100' }, approvalThresholdUsd: null } })
    await expectRefused(road, swapIntent(road, '100.000001'), 'SPENDING_LIMIT_EXCEEDED')
    await road.run(swapIntent(road, '100'))
  })

  it('hold under parallel writes: two clients, one wallet', async () => {
    const road = await open({
      policy: { limitsUsd: { perTransaction: '300', perSession: '650', daily: '1000' }, approvalThresholdUsd: null },
    })
    const principals = ['key:a', 'key:b'].map((id) => ({
      id,
      stage: 'api-key' as const,
      tier: 'write' as const,
      scopes: new Set<never>(),
      expiresAt: null,
    }))
    const runs = Array.from({ length: 12 }, (_, index) =>
      road.run(swapIntent(road, '300'), { principal: principals[index % 2]! }),
    )
    const outcomes = await Promise.allSettled(runs)
    // Two each before the session's limit, and of those four only three before the day's.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(codes).toEqual(codes.map(() => 'SPENDING_LIMIT_EXCEEDED'))
    expect(await road.balance('USDC')).toBe(parseUnits('19100', 6))
  })

  it('hold against draining by many small calls, and name the limit, its cap and what is used', async () => {
    const road = await open({
      policy: { limitsUsd: { perTransaction: '100', perSession: '250', daily: '250' }, approvalThresholdUsd: null },
    })
    for (let calls = 0; calls < 5; calls += 1) await road.run(swapIntent(road, '50'))
    await expect(road.run(swapIntent(road, '0.01'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: 'The limit of the session is 250 USD; 250 USD of it are used and the call asks for 0.01 USD.',
      details: [{ limit: 'perSession', capUsd: '250', usedUsd: '250', askedUsd: '0.01' }],
    })
    road.clock.offsetMs = 23 * 3_600_000
    await expect(road.run(swapIntent(road, '0.01', { deadline: laterDeadline(23) }))).rejects.toMatchObject({
      details: [{ limit: 'daily' }],
    })
  })

  it('announce 80 percent of the day once', async () => {
    const road = await open({
      policy: { limitsUsd: { perTransaction: '500', perSession: '1000', daily: '1000' }, approvalThresholdUsd: null },
    })
    for (const amount of ['400', '399', '1', '50']) await road.run(swapIntent(road, amount))
    const alerts = (await road.auditLines()).filter(({ event }) => event === 'spend.alert')
    expect(alerts).toEqual([expect.objectContaining({ spentUsd: '800' })])
    expect(road.lines.filter(({ event }) => event === 'spend.alert')).toHaveLength(1)
    expect((await road.executor.safetyReport(principalOf())).dailyAlert).toBe(true)
  })

  it('above the threshold a person must approve', async () => {
    const road = await open({ policy: {} })
    await expectRefused(road, swapIntent(road, '250.01'), 'APPROVAL_REQUIRED')
    await road.run(swapIntent(road, '250'))
  })

  it('a risk tier with a delay is refused where delays are kept, and passes where they are not', async () => {
    const delayed = await open({ policy: { proxyDelay: true } })
    await expectRefused(delayed, swapIntent(delayed, '1', { intent: { riskTier: 'standard' } }), 'DELAY_REQUIRED')
    await delayed.run(swapIntent(delayed, '1'))
    const undelayed = await open({ policy: {} })
    await undelayed.run(swapIntent(undelayed, '1', { intent: { riskTier: 'critical' } }))
  })

  it('what a position gives back is no spend: a removal passes when every limit is used up', async () => {
    const road = await open({
      policy: { limitsUsd: { perTransaction: '6000', perSession: '6000', daily: '6000' }, approvalThresholdUsd: null },
    })
    await road.run(mintIntent(road))
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await road.run(await removeIntent(road))
    expect(await road.balance('USDC')).toBeGreaterThan(parseUnits('19990', 6))
  })

  it('gas that could cost more than a transaction may spend is refused', async () => {
    const road = await open({ usd: { ETH: 1e9 }, policy: {} })
    await expectRefused(road, swapIntent(road, '1'), 'SPENDING_LIMIT_EXCEEDED')
  })
})

describe('tokens', () => {
  const foreign = { tokenOut: 'HOSTILE', fee: 10_000 } as const
  const receives = (road: Road) => ({ receives: [{ token: road.token('HOSTILE'), amount: 1n }] })

  it('strict: a token nobody listed is refused', async () => {
    const road = await open({ policy: { allowlist: { mode: 'strict' } } })
    await expectRefused(road, swapIntent(road, '1', { ...foreign, intent: receives(road) }), 'TOKEN_NOT_ALLOWLISTED')
  })

  it('strict: a token the operator listed passes', async () => {
    const hostile = devnet().tokens.find(({ symbol }) => symbol === 'HOSTILE')!.address
    const road = await open({ policy: { allowlist: { mode: 'strict', tokens: { [devnet().chainId]: [hostile] } } } })
    await expect(road.run(swapIntent(road, '1', { ...foreign, intent: receives(road) }))).resolves.toMatchObject({
      safetyChecks: { tokenAllowlistPassed: true },
    })
  })

  it('lenient: it goes on, and the verdict is on record', async () => {
    const road = await open({ policy: { allowlist: { mode: 'lenient' } } })
    await expect(road.run(swapIntent(road, '1', { ...foreign, intent: receives(road) }))).resolves.toMatchObject({
      safetyChecks: { tokenAllowlistPassed: false, spendingLimitPassed: true, simulationPassed: true },
    })
    expect((await road.auditLines()).find(({ event }) => event === 'tx.intent')).toMatchObject({
      tokenAllowlistPassed: false,
    })
  })

  it('strict: a spend without a price is refused', async () => {
    const road = await open({ policy: { allowlist: { mode: 'strict' } }, usd: { USDC: null } })
    await expectRefused(road, swapIntent(road, '1'), 'PRICE_UNAVAILABLE')
  })

  it('lenient: a spend without a price counts as the whole limit of a transaction', async () => {
    const road = await open({
      policy: { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null },
      usd: { USDC: null },
    })
    await road.run(swapIntent(road, '1'))
    await road.run(swapIntent(road, '1'))
    expect((await road.executor.safetyReport(principalOf())).spentUsd).toEqual({ session: '1000', daily: '1000' })
    await expectRefusedAfterwards(road, swapIntent(road, '1'), 'SPENDING_LIMIT_EXCEEDED')
  })
})

describe('what must be there before anything is signed', () => {
  it('the audit log', async () => {
    const road = await open()
    await road.audit.close()
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(await road.nonce()).toBe(0)
    expect(await road.store.ledger.open()).toEqual([])
    roads.splice(0)
    await road.store.close()
  })

  it('a simulation', async () => {
    const road = await open()
    road.network.fetch = answering('eth_simulateV1', { code: -32601, message: 'the method does not exist' })
    await expectRefused(road, swapIntent(road, '1'), 'SIMULATION_UNAVAILABLE')
    road.network.fetch = mangling('eth_simulateV1', () => [{ calls: [] }])
    await expectRefused(road, swapIntent(road, '1'), 'SIMULATION_UNAVAILABLE')
  })

  it('the right chain, at every write', async () => {
    const road = await open()
    await road.run(swapIntent(road, '1'))
    road.trace.length = 0
    road.network.fetch = mangling('eth_chainId', () => '0x1')
    await expectRefused(road, swapIntent(road, '1'), 'RPC_CHAIN_MISMATCH')
  })

  it('an endpoint', async () => {
    const road = await open()
    road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    expect(road.trace).not.toContain('journal recordSigned')
  })

  it('native currency for gas', async () => {
    const road = await open()
    const all = (await road.balance('ETH')) - parseUnits('0.00001', 18)
    const data = encodeFunctionData({ abi: parseAbi(['function deposit() payable']) })
    const wrapped = road.chain.wrappedNative.address
    const intent: Intent = {
      ...swapIntent(road, '1'),
      calls: [{ to: wrapped, data, valueWei: all, label: 'wrap' }],
      spends: [{ token: '0x0000000000000000000000000000000000000000', amount: all }],
      receives: [{ token: wrapped, amount: all }],
      approvals: [],
    }
    await expectRefused(road, intent, 'INSUFFICIENT_BALANCE')
    const more = { ...intent, calls: [{ to: wrapped, data, valueWei: all * 2n, label: 'wrap' }] }
    await expectRefused(road, more, 'INSUFFICIENT_BALANCE')
  })

  it('nobody who paused, at the start or while the plan was simulated', async () => {
    const road = await open()
    await writeFile(join(road.dataDir, 'paused'), '')
    await expectRefused(road, swapIntent(road, '1'), 'SERVER_PAUSED')
    expect((await road.executor.safetyReport(principalOf())).paused).toBe(true)
    await rm(join(road.dataDir, 'paused'))
    road.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_simulateV1')) {
        await writeFile(join(road.dataDir, 'paused'), '')
      }
      return fetch(input, init)
    }
    await expectRefused(road, swapIntent(road, '1'), 'SERVER_PAUSED')
    expect(road.trace).toContain('ledger release')
  })

  it('nobody who paused at the last moment, after the audit line', async () => {
    const road = await open()
    road.hooks.afterAudit = (event) =>
      event === 'tx.intent' ? writeFile(join(road.dataDir, 'paused'), '') : Promise.resolve()
    await expectRefused(road, swapIntent(road, '1'), 'SERVER_PAUSED')
  })

  it('the tokens themselves, named with what there is and what it takes', async () => {
    const road = await open()
    const intent = swapIntent(road, '20001')
    await expectRefused(road, intent, 'INSUFFICIENT_BALANCE')
    await expect(road.run(intent)).rejects.toMatchObject({
      details: [{ token: road.token('USDC'), holds: '20000000000', needs: '20001000000' }],
    })
  })

  it('a caller who is still there', async () => {
    const road = await open()
    await expect(road.run(swapIntent(road, '1'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    const leaving = new AbortController()
    road.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_simulateV1')) leaving.abort()
      return fetch(input, init)
    }
    await expect(road.run(swapIntent(road, '1'), { signal: leaving.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(await road.nonce()).toBe(0)
    expect(await road.store.ledger.open()).toEqual([])
  })
})

async function expectRefusedAfterwards(road: Road, intent: Intent, code: ErrorCode): Promise<void> {
  const nonce = await road.nonce()
  await expect(road.run(intent)).rejects.toMatchObject({ code })
  expect(await road.nonce()).toBe(nonce)
}

function principalOf() {
  return { id: 'key:test', stage: 'api-key', tier: 'write', scopes: new Set<never>(), expiresAt: null } as const
}

function laterDeadline(hours: number): bigint {
  return BigInt(Math.floor(Date.now() / 1000) + hours * 3600 + 300)
}

/** Everything out of the wallet's one v3 position. */
async function removeIntent(road: Road): Promise<Intent> {
  const manager = road.chain.amm.v3!.positionManager
  const client = road.rpc.client(road.chain)
  const read = { address: manager, abi: v3PositionManagerAbi } as const
  const tokenId = await client.readContract({ ...read, functionName: 'tokenOfOwnerByIndex', args: [road.wallet, 0n] })
  const position = await client.readContract({ ...read, functionName: 'positions', args: [tokenId] })
  const max = 2n ** 128n - 1n
  const decrease = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'decreaseLiquidity',
    args: [{ tokenId, liquidity: position[7], amount0Min: 0n, amount1Min: 0n, deadline: laterDeadline(0) }],
  })
  const collect = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'collect',
    args: [{ tokenId, recipient: road.wallet, amount0Max: max, amount1Max: max }],
  })
  const burn = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'burn', args: [tokenId] })
  const data = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'multicall',
    args: [[decrease, collect, burn]],
  })
  const receives = [road.token('USDC'), road.token('WETH')].map((token) => ({ token, amount: 1n }))
  const calls = [{ to: manager, data, valueWei: 0n, label: 'remove liquidity' }]
  return { ...mintIntent(road), calls, spends: [], approvals: [], receives }
}

/** An endpoint that answers one method with an error. */
function answering(method: string, error: { code: number; message: string }): typeof fetch {
  return rewriting(method, (answer) => ({ jsonrpc: answer.jsonrpc, id: answer.id, error }))
}

/** An endpoint that answers one method with another result. */
function mangling(method: string, change: () => unknown): typeof fetch {
  return rewriting(method, (answer) => ({ ...answer, result: change() }))
}

type Answer = { jsonrpc: string; id: number; result?: unknown; error?: unknown }

function rewriting(method: string, rewrite: (answer: Answer) => Answer): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const asked: { id: number; method: string } | { id: number; method: string }[] = JSON.parse(
      typeof init?.body === 'string' ? init.body : '',
    )
    const body = (await response.json()) as Answer | Answer[]
    const ids = new Set(
      [asked]
        .flat()
        .filter((call) => call.method === method)
        .map(({ id }) => id),
    )
    const change = (answer: Answer): Answer => (ids.has(answer.id) ? rewrite(answer) : answer)
    return Response.json(Array.isArray(body) ? body.map(change) : change(body))
  }
}
