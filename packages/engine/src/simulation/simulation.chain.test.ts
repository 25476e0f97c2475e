import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { wrappedNativeAbi } from '@svc/amm/abis'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { mintIntent, removeIntent, routerSwapIntent, swapIntent, wrapIntent } from '../fixtures/intents.fixture.ts'
import { answering, mangling, methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { deltasOf, expectGasCounted, plannedOf, settledOf, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const lenient = { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null } as const
const strict = { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } as const
const unknownMethod = { code: -32601, message: 'the method eth_simulateV1 does not exist/is not available' }

describe('G10: an endpoint without eth_simulateV1', () => {
  it('strict: nothing is signed', async () => {
    const pipeline = await open({ policy: strict })
    pipeline.network.fetch = answering('eth_simulateV1', unknownMethod)
    await expectRefused(pipeline, swapIntent(pipeline, '100'), 'SIMULATION_UNAVAILABLE')
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ retryable: false })
  })

  it('strict: a dry run shows what eth_call could see, and that it is not enough', async () => {
    const pipeline = await open({ policy: strict })
    pipeline.network.fetch = answering('eth_simulateV1', unknownMethod)
    const { plan } = plannedOf(await pipeline.run(swapIntent(pipeline, '100'), { dryRun: true }))
    expect(plan.policy.refusals).toMatchObject([{ code: 'SIMULATION_UNAVAILABLE' }])
    expect(plan.deltas).toMatchObject([{ symbol: 'USDC', amount: '-100' }, { symbol: 'WETH' }])
  })

  it('lenient: the call is played with eth_call, counted as declared, and the audit log says so', async () => {
    const pipeline = await open({ policy: lenient })
    pipeline.network.fetch = answering('eth_simulateV1', unknownMethod)
    const swapped = settledOf(await pipeline.run(swapIntent(pipeline, '100')))
    expect(deltasOf(pipeline, swapped)).toMatchObject({ USDC: -parseUnits('100', 6) })
    const intents = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(intents).toMatchObject([
      { simulatedBy: 'eth_call', spendUsd: '100' },
      { simulatedBy: 'eth_call', spendUsd: '100' },
    ])
    expect(await used(pipeline)).toBe(parseUnits('100', 6))
    await expectGasCounted(pipeline)
  })

  it('lenient: positions, Permit2 and native currency are carried out on what eth_call shows', async () => {
    const pipeline = await open()
    pipeline.network.fetch = answering('eth_simulateV1', { code: -32000, message: 'Method not supported' })
    await pipeline.run(await mintIntent(pipeline))
    await pipeline.run(await removeIntent(pipeline))
    await pipeline.run(routerSwapIntent(pipeline, '50'))
    const wrapped = settledOf(await pipeline.run(wrapOf(pipeline)))
    expect(deltasOf(pipeline, wrapped)).toEqual({ ETH: -parseUnits('1', 18), WETH: parseUnits('1', 18) })
  })

  it('lenient: what would fail or spend more than declared is refused all the same', async () => {
    const pipeline = await open({ policy: lenient })
    pipeline.network.fetch = answering('eth_simulateV1', unknownMethod)
    await expectRefused(pipeline, swapIntent(pipeline, '100', { amountIn: parseUnits('101', 6) }), 'SIMULATION_FAILED')
    await expectRefused(pipeline, { ...swapIntent(pipeline, '100'), spends: [] }, 'UNSAFE_TRANSACTION')
    await expectRefused(pipeline, { ...wrapOf(pipeline), spends: [] }, 'UNSAFE_TRANSACTION')
  })

  it.each([
    ['strict', strict],
    ['lenient', lenient],
  ])('%s: one that ignores state overrides, too, is refused', async (_mode, policy) => {
    const pipeline = await open({ policy })
    const lacking = answering('eth_simulateV1', unknownMethod)
    const ignoring = mangling('eth_call', () => '0x')
    pipeline.network.fetch = (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      return body.includes('eth_simulateV1')
        ? lacking(input, init)
        : (body.includes('"code":"0x') ? ignoring : fetch)(input, init)
    }
    await expectRefused(pipeline, swapIntent(pipeline, '100'), 'SIMULATION_UNAVAILABLE')
  })

  it('is asked again after ten minutes, and not before', async () => {
    const pipeline = await open({ policy: lenient })
    pipeline.network.fetch = answering('eth_simulateV1', unknownMethod)
    const asks = () => pipeline.network.requests.filter((body) => methodsIn(body).includes('eth_simulateV1')).length
    const plan = () => pipeline.run(swapIntent(pipeline, '100'), { dryRun: true })
    await plan()
    const first = asks()
    expect(first).toBeGreaterThan(0)
    await plan()
    expect(asks()).toBe(first)
    pipeline.clock.offsetMs = 10 * 60_000 + 1
    await plan()
    expect(asks()).toBeGreaterThan(first)
  })
})

describe('an endpoint that simulates badly', () => {
  it('any other refusal than not having the method is no leave to degrade', async () => {
    const pipeline = await open({ policy: lenient })
    pipeline.network.fetch = answering('eth_simulateV1', { code: -32000, message: 'internal error' })
    await expectRefused(pipeline, swapIntent(pipeline, '100'), 'SIMULATION_UNAVAILABLE')
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ retryable: true })
  })

  it('native currency that is sent and not traced is no simulation', async () => {
    const pipeline = await open({ policy: lenient })
    pipeline.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : undefined
      if (init === undefined || body === undefined || !body.includes('eth_simulateV1')) return fetch(input, init)
      return fetch(input, { ...init, body: body.replace('"traceTransfers":true', '"traceTransfers":false') })
    }
    await expectRefused(pipeline, wrapOf(pipeline), 'SIMULATION_UNAVAILABLE')
    await pipeline.run(swapIntent(pipeline, '100'))
  })

  it('says why a step fails where the node keeps the reason back', async () => {
    const pipeline = await open({ policy: lenient })
    const silent = mangling('eth_simulateV1', () => [
      {
        calls: [
          ...Array.from({ length: 3 }, () => ({ status: '0x1', returnData: `0x${'f'.repeat(64)}`, gasUsed: '0x1' })),
          ...Array.from({ length: 5 }, () => ({ status: '0x0', returnData: '0x', gasUsed: '0x1', error: {} })),
        ],
      },
    ])
    pipeline.network.fetch = silent
    await expect(pipeline.run(swapIntent(pipeline, '100', { minimumOut: parseUnits('9', 18) }))).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [expect.objectContaining({ message: expect.stringContaining('Too little received') })],
    })
  })
})

function wrapOf(pipeline: Pipeline) {
  const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' })
  return wrapIntent(pipeline, data, parseUnits('1', 18), [pipeline.token('ETH'), pipeline.token('WETH')])
}
