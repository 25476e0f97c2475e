import { chains } from '@svc/wallet/core'
import { concat, encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { universalRouterAbi, v3SwapRouter02Abi } from '@svc/amm/abis'
import { type Intent, storeIntent } from '@svc/amm'
import { explainPolicy, type PolicyQuestion } from './explain-policy.ts'
import { readBounds } from '../calldata/call-bounds.ts'
import { knownContracts } from '../calldata/known-contracts.ts'
import { parsePolicy } from '../policy/policy.ts'
import { policyVerdict } from './policy-verdict.ts'
import { runPolicyCases } from './policy-cases.ts'
import { weighed } from '../fixtures/weighed.fixture.ts'

const chain = chains.find(({ id }) => id === 8453)!
const wallet = '0x00000000000000000000000000000000000000bb'
const stranger = '0x00000000000000000000000000000000000000cc'
const nowSeconds = 1_800_000_000
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address
const router = chain.amm.v3!.swapRouter02

function swap(recipient: typeof wallet | typeof stranger = wallet): Intent {
  const data = encodeFunctionData({
    abi: v3SwapRouter02Abi,
    functionName: 'exactInputSingle',
    args: [
      {
        tokenIn: usdc,
        tokenOut: chain.wrappedNative.address,
        fee: 500,
        recipient,
        amountIn: 1n,
        amountOutMinimum: 1n,
        sqrtPriceLimitX96: 0n,
      },
    ],
  })
  return {
    chainId: chain.id,
    calls: [{ to: router, data, valueWei: 0n, label: 'swap' }],
    atomicity: 'single',
    spends: [{ token: usdc, amount: 1n }],
    receives: [{ token: chain.wrappedNative.address, amount: 1n }],
    approvals: [{ token: usdc, spender: router, amount: 1n, via: 'erc20', revokeAfter: true }],
    riskTier: 'routine',
    slippageBps: 50,
    deadline: nowSeconds + 600,
    recipients: [wallet],
    why: 'swap USDC for WETH',
  }
}

const hooked: Intent = {
  ...swap(),
  deposits: [
    {
      kind: 'mint',
      version: 'v4',
      pool: `0x${'ab'.repeat(32)}`,
      token0: chain.wrappedNative.address,
      token1: usdc,
      fee: 500,
      tickSpacing: 10,
      hooks: '0x0000000000000000000000000000000000000200',
      tickLower: -10,
      tickUpper: 10,
      positionId: null,
      recipient: wallet,
      sqrtPriceX96: 2n ** 96n,
      amount0: 1n,
      amount1: 1n,
      liquidity: 1n,
      minLiquidity: 1n,
      createsPool: false,
      isInverted: false,
    },
  ],
}

const explain = (written: unknown, question: Partial<PolicyQuestion> = {}, production = true) =>
  explainPolicy(
    {
      tool: 'execute_swap',
      principalId: 'api-key:00000000000000aa',
      intent: swap(),
      spendUsdMicros: 100_000_000n,
      gasUsdMicros: 1_000_000n,
      used: null,
      weighed: null,
      ...question,
    },
    { chain, policy: parsePolicy(written, { production }), wallet, nowSeconds },
  )
const noGas = { exitGas: 0n, dueExitGas: 0n, sureExitGas: 0n, gas: 0n } as const

/** Without the rules of value, which nothing is known of while the chain is not asked. */
const against = (checks: ReturnType<typeof explain>) =>
  checks
    .filter(({ verdict, asked }) => verdict !== 'allow' && asked !== 'not looked at')
    .map(({ rule, verdict, code }) => [rule, verdict, code])

describe('explaining what the policy says to a plan', () => {
  it('counts the calls of a plan in words that fit', () => {
    const asked = (intent: Intent) =>
      explain({}, { intent }).find(({ says }) => says.startsWith('what is never signed'))?.asked
    const [call] = swap().calls
    expect(asked(swap())).toBe('1 call, single')
    expect(asked({ ...swap(), calls: [call!, call!] })).toBe('2 calls, single')
  })

  it('denies calldata that is not read to its last byte, as a write does', () => {
    const { address } = chain.amm.universalRouter!
    const form = parseAbiParameters('address, uint256, uint256, bytes, bool')
    const path = concat([usdc, '0x0001f4', chain.wrappedNative.address])
    const input = encodeAbiParameters(form, [wallet, 1n, 1n, path, true])
    const routed = (inputs: Hex): Intent => {
      const args = ['0x00', [inputs], BigInt(nowSeconds + 600)] as const
      const data = encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args })
      const approvals = [{ token: usdc, spender: address, amount: 1n, via: 'permit2', revokeAfter: true }] as const
      return { ...swap(), calls: [{ to: address, data, valueWei: 0n, label: 'swap' }], approvals }
    }
    expect(against(explain({}, { intent: routed(input) }))).toEqual([])
    const intent = routed(`${input}${'11'.repeat(32)}`)
    expect(
      readBounds(intent, chain, knownContracts(chain, parsePolicy({}, { production: true }))).refusals,
    ).toHaveLength(1)
    expect(against(explain({}, { intent }))).toEqual([[null, 'deny', 'UNSAFE_TRANSACTION']])
  })

  it('denies a batch that holds an operation which is not granted', () => {
    const principals = { 'api-key:00000000000000aa': { tools: ['batch_lp_operations', 'collect_fees'] } }
    const batched = (tools: readonly string[]) =>
      explain({ principals }, { tool: 'batch_lp_operations', intent: { ...swap(), tools } })
    expect(against(batched(['collect_fees']))).toEqual([])
    expect(against(batched(['collect_fees', 'remove_liquidity']))).toEqual([
      ['principals.api-key:00000000000000aa.tools', 'deny', 'PRINCIPAL_NOT_GRANTED'],
    ])
  })

  it('names every rule once and finds nothing against an honest swap', () => {
    const checks = explain({})
    expect(against(checks)).toEqual([])
    expect(checks.map(({ rule }) => rule)).toEqual([
      'principals.api-key:00000000000000aa.tools',
      null,
      'contracts',
      'recipients',
      'spenders',
      'slippageBps.cap',
      'deadlineSeconds.cap',
      'allowlist',
      'maxPriceBandBps',
      'maxPoolDeviationBps',
      'maxPriceImpactBps',
      'maxLossBps',
      'maxDailyLossUsd',
      'speculativeUsd',
      'coldStartUsd',
      'poolPricedUsd',
      'limitsUsd.perTransaction',
      'limitsUsd.perSession',
      'limitsUsd.daily',
      'maxDailyGasUsd',
      'approvalThresholdUsd',
      'delaySeconds.routine',
    ])
  })

  it.each<readonly [string, unknown, Partial<PolicyQuestion>, readonly (string | null)[]]>([
    [
      'a tool not granted',
      { principals: { 'api-key:00000000000000aa': { tools: ['collect_fees'] } } },
      {},
      ['principals.api-key:00000000000000aa.tools', 'deny', 'PRINCIPAL_NOT_GRANTED'],
    ],
    ['a stranger who is paid', {}, { intent: swap(stranger) }, ['recipients', 'deny', 'RECIPIENT_NOT_ALLOWED']],
    [
      'an unknown contract',
      {},
      { intent: { ...swap(), calls: [{ to: stranger, data: '0x12345678', valueWei: 0n, label: 'call' }] } },
      ['contracts', 'deny', 'CONTRACT_NOT_ALLOWED'],
    ],
    [
      'a stranger who is approved',
      {},
      { intent: { ...swap(), approvals: [{ ...swap().approvals[0]!, spender: stranger }] } },
      ['spenders', 'deny', 'SPENDER_NOT_ALLOWED'],
    ],
    [
      'an unlimited approval',
      {},
      { intent: { ...swap(), approvals: [{ ...swap().approvals[0]!, amount: 2n ** 256n - 1n }] } },
      [null, 'deny', 'UNSAFE_TRANSACTION'],
    ],
    [
      'much slippage',
      {},
      { intent: { ...swap(), slippageBps: 501 } },
      ['slippageBps.cap', 'deny', 'SLIPPAGE_TOO_HIGH'],
    ],
    [
      'a far deadline',
      {},
      { intent: { ...swap(), deadline: nowSeconds + 601 } },
      ['deadlineSeconds.cap', 'deny', 'DEADLINE_TOO_LONG'],
    ],
    [
      'an unlisted token',
      {},
      { intent: { ...swap(), receives: [{ token: stranger, amount: 1n }] } },
      ['allowlist', 'deny', 'TOKEN_NOT_ALLOWLISTED'],
    ],
    [
      'a large spend',
      { approvalThresholdUsd: null },
      { spendUsdMicros: 500_000_001n },
      ['limitsUsd.perTransaction', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
    ],
    [
      'a spend whose gas at worst does not fit beside it',
      { approvalThresholdUsd: null },
      { spendUsdMicros: 499_000_000n, gasUsdMicros: 1_000_001n },
      ['limitsUsd.perTransaction', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
    ],
    [
      'a day that is used up',
      {},
      { used: { session: 0n, daily: 1_899_000_001n, principalDaily: 0n, ...noGas, budgets: new Map() } },
      ['limitsUsd.daily', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
    ],
    [
      "a caller's own day that is used up",
      { principals: { 'api-key:00000000000000aa': { limitsUsd: { daily: '150' } } } },
      { used: { session: 0n, daily: 49_000_001n, principalDaily: 49_000_001n, ...noGas, budgets: new Map() } },
      ['principals.<principal id>.limitsUsd.daily', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
    ],
    [
      'a day whose gas is used up',
      {},
      {
        gasUsdMicros: 2n,
        used: {
          session: 0n,
          daily: 0n,
          principalDaily: 0n,
          exitGas: 0n,
          dueExitGas: 0n,
          sureExitGas: 0n,
          gas: 39_999_999n,
          budgets: new Map(),
        },
      },
      ['maxDailyGasUsd', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
    ],
    [
      'a spend above the threshold',
      {},
      { spendUsdMicros: 250_000_001n },
      ['approvalThresholdUsd', 'ask', 'APPROVAL_REQUIRED'],
    ],
    [
      'a tier with a delay',
      {},
      { intent: { ...swap(), riskTier: 'critical' } },
      ['delaySeconds.critical', 'wait', 'DELAY_REQUIRED'],
    ],
  ])('says of %s which rule it meets, and how to change it', (_what, written, question, expected) => {
    const checks = explain(written, question)
    const waits = expected[1] === 'ask' || expected[1] === 'wait'
    // What waits takes one of the caller's places; how many are left is not known here.
    expect(against(checks)).toEqual([expected, ...(waits ? [['approvals.maxWaiting', 'unknown', null]] : [])])
    const met = checks.find(({ verdict, asked }) => verdict !== 'allow' && asked !== 'not looked at')
    expect(met?.change === null).toBe(expected[0] === null)
  })

  it.each<readonly [string, Intent, string | null]>([
    ['a deposit into a pool whose hook may keep it', hooked, `valueRules.pools.${chain.id}`],
    ['a call to a token under no list', { ...swap(), calls: [{ ...swap().calls[0]!, to: usdc }] }, 'contracts'],
    ['two calls that claim to be one', { ...swap(), calls: [...swap().calls, ...swap().calls] }, null],
  ])('leaves out nothing that a write is refused for: %s', (_what, intent, rule) => {
    const policy = parsePolicy({}, { production: true })
    const context = { chain, policy, wallet, nowSeconds, known: knownContracts(chain, policy) } as const
    const refused = policyVerdict(intent, context).refusals.map(({ code }) => code)
    const explained = explain({}, { intent }).filter(({ verdict }) => verdict === 'deny')
    expect(explained.map(({ code }) => code)).toEqual(expect.arrayContaining(refused))
    expect(explained.map((check) => check.rule)).toContain(rule)
  })

  it.each([
    [undefined, 'every tool its key allows'],
    [[], 'no write tool'],
    [['collect_fees', 'execute_swap'], 'collect_fees, execute_swap'],
  ])('says of a grant of %j what it allows', (tools, says) => {
    const principals = { 'api-key:00000000000000aa': { tools } }
    expect(explain(tools === undefined ? {} : { principals }, {})[0]?.says).toBe(says)
  })

  it('holds the gas of a way home to the budget for that alone', () => {
    const used = { session: 10n ** 12n, daily: 10n ** 12n, principalDaily: 0n, gas: 10n ** 12n, budgets: new Map() }
    const asks = (exitGas: bigint) => ({
      spendUsdMicros: 0n,
      gasUsdMicros: 2n,
      weighed: weighed({ isExit: true }, [], true),
      used: { ...used, exitGas, dueExitGas: 0n, sureExitGas: 0n },
    })
    const within = explain({ limitsUsd: { perTransaction: '0' } }, asks(39_999_998n))
    expect(against(within)).toEqual([])
    const beyond = explain({}, asks(39_999_999n))
    expect(against(beyond)).toEqual([['maxDailyGasUsd', 'deny', 'SPENDING_LIMIT_EXCEEDED']])
    const worthIt = weighed({ isExit: true, homeUsdMicros: 40n }, [], true)
    expect(against(explain({}, { ...asks(39_999_999n), weighed: worthIt }))).toEqual([])
  })

  it('notes an unlisted token where the list is lenient, and knows no spend that nobody priced', () => {
    const intent = { ...swap(), receives: [{ token: stranger, amount: 1n }] } as const
    expect(against(explain({}, { intent, spendUsdMicros: null }, false))).toEqual([
      ['allowlist', 'noted', null],
      ['limitsUsd.perTransaction', 'unknown', null],
      ['limitsUsd.perSession', 'unknown', null],
      ['limitsUsd.daily', 'unknown', null],
      ['approvalThresholdUsd', 'unknown', null],
    ])
  })
})

describe('named cases for a policy', () => {
  const json = (intent: Intent): unknown => JSON.parse(storeIntent(intent))
  const honest = { name: 'honest', intent: json(swap()), expect: 'allow', nowSeconds }
  const run = (cases: readonly unknown[]) =>
    runPolicyCases({ wallet, cases }, { policy: parsePolicy({}, { production: true }), chains, nowSeconds: 0 })

  it('pass when they get what they expect', () => {
    const results = run([
      honest,
      { ...honest, name: 'stolen', intent: json(swap(stranger)), expect: 'deny', code: 'RECIPIENT_NOT_ALLOWED' },
      { ...honest, name: 'asked', spendUsd: '250.01', expect: 'deny', code: 'APPROVAL_REQUIRED' },
    ])
    expect(results.map(({ passed, problem }) => [passed, problem])).toEqual([
      [true, null],
      [true, null],
      [true, null],
    ])
  })

  it('fail when they get another verdict, another code, or are of an unknown chain', () => {
    const results = run([
      { ...honest, expect: 'deny' },
      { ...honest, intent: json(swap(stranger)), expect: 'allow' },
      { ...honest, intent: json(swap(stranger)), expect: 'deny', code: 'SPENDER_NOT_ALLOWED' },
      { ...honest, intent: { ...json(swap())!, chainId: 999 } },
    ])
    expect(results.map(({ problem }) => problem)).toEqual([
      'expected deny, but it is allowed',
      'expected allow, but it is denied with RECIPIENT_NOT_ALLOWED',
      'expected SPENDER_NOT_ALLOWED, but it is denied with RECIPIENT_NOT_ALLOWED',
      'no chain of this server has the id 999',
    ])
  })

  it.each([
    [{ wallet, cases: [] }, 'cases'],
    [{ cases: [honest] }, 'wallet'],
    [{ wallet, cases: [{ ...honest, expect: 'maybe' }] }, 'cases.0.expect'],
    [
      { wallet, cases: [{ ...honest, intent: { ...(json(swap()) as object), chainId: '1' } }] },
      'cases.0.intent.chainId',
    ],
    [{ wallet, cases: [{ ...honest, unknown: 1 }] }, 'cases.0'],
  ])('are refused by name when malformed: %#', (written, field) => {
    const options = { policy: parsePolicy({}, { production: true }), chains, nowSeconds: 0 }
    expect(() => runPolicyCases(written, options)).toThrow(
      expect.objectContaining({ details: expect.arrayContaining([expect.objectContaining({ field })]) }),
    )
  })
})
