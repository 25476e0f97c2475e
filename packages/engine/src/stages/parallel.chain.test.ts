import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { settledOf, testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

it(
  'fifty writes at once, with blocks by the clock, are all mined at contiguous nonces',
  { timeout: 300_000 },
  async () => {
    const pipeline = await open()
    await mineByTheClock(pipeline, 50)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => pipeline.run(nativeSwap(pipeline))))
    const hashes = outcomes.map((outcome) => settledOf(outcome).main.hash)
    expect(new Set(hashes).size).toBe(50)
    const entries = await Promise.all(hashes.map((hash) => pipeline.store.journal.byHash(hash)))
    expect(entries.map((entry) => [entry?.nonce, entry?.state])).toEqual(
      Array.from({ length: 50 }, (_, nonce) => [nonce, 'final']),
    )
    expect(await pipeline.nonce()).toBe(50)
    expect(await used(pipeline)).toBe(50n * parseUnits('3', 6))
    // A slow machine may warn of an endpoint or of time; nothing may have failed.
    expect(pipeline.lines.filter(({ level }) => level === 'error')).toEqual([])
  },
)

/** A thousandth of a coin for USDC: one transaction, without an approval. */
function nativeSwap(pipeline: Pipeline): Intent {
  const amountIn = parseUnits('0.001', 18)
  const intent = swapIntent(pipeline, '1', { tokenIn: 'WETH', tokenOut: 'USDC', amountIn })
  const calls = intent.calls.map((call) => ({ ...call, valueWei: amountIn }))
  return { ...intent, calls, spends: [{ token: zeroAddress, amount: amountIn }], approvals: [] }
}

/** Mines a block every so often until the test ends. */
async function mineByTheClock(pipeline: Pipeline, everyMs: number): Promise<void> {
  const node = testClient(pipeline)
  await node.setAutomine(false)
  const ending = new AbortController()
  const miner = (async () => {
    while (!ending.signal.aborted) {
      await node.mine({ blocks: 1 })
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  })()
  closers.push(async () => {
    ending.abort()
    await miner
    await node.setAutomine(true)
  })
}
