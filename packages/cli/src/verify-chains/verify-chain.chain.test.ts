import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { verifyChain } from './verify-chain.ts'

const devnet = useDevnet()

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown }

/** An endpoint that tells what `retell` makes of the chain's answer, and takes batches up to a length. */
function standIn(retell: (call: Call, answer: Answer) => Answer, longestBatch = 1_000): typeof fetch {
  return async (input, init) => {
    const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Call | Call[]
    const calls = [asked].flat()
    if (calls.length > longestBatch) return Response.json({ error: 'too many' }, { status: 413 })
    const answers = (await (await fetch(input, init)).json()) as Answer | Answer[]
    const told = [answers].flat().map((answer) =>
      retell(
        calls.find(({ id }) => id === answer.id)!,
        answer,
      ),
    )
    return Response.json(Array.isArray(asked) ? told : told[0])
  }
}

const refused = (id: number) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_602, message: 'secret-key is not allowed this' },
})

async function verify(endpoint: typeof fetch = fetch) {
  const { chain, rpcUrl } = devnet()
  const url = `${rpcUrl}/?key=secret-key`
  const report = await verifyChain(chain, [url], { fetch: endpoint, now: Date.now, hasSubgraphKey: false })
  expect(JSON.stringify(report)).not.toContain('secret-key')
  return report
}

test('every contract of the row answers as it should, and the report says what the endpoint can do', async () => {
  const report = await verify()
  expect([report.ok, report.problems]).toEqual([true, []])
  const names = report.contracts.map(({ contract }) => contract)
  for (const one of [
    'multicall3',
    'permit2',
    'v2.router',
    'v3.quoterV2',
    'v4.positionManager',
    'token WETH',
    'rewardDistributor',
  ]) {
    expect(names).toContain(one)
  }
  expect(report.feeds.find(({ contract }) => contract === 'feed of WETH')).toMatchObject({
    usd: expect.any(Number),
    isLate: false,
  })
  expect(report.endpoints).toMatchObject([
    { problem: null, lagBlocks: 0, batchSize: 100, logRangeBlocks: 80_000, simulates: true },
  ])
  expect(report.tools.find(({ tool }) => tool === 'execute_swap')).toMatchObject({ can: 'yes', why: 'v2, v3, v4' })
  expect(report.tools.find(({ tool }) => tool === 'get_claimable_rewards')).toMatchObject({ can: 'yes' })
})

test.each([
  [
    'is not there',
    'quoterV2',
    'no contract stands there',
    (one: string) => (call: Call, answer: Answer) =>
      call.method === 'eth_getCode' && call.params[0] === one ? { ...answer, result: '0x' } : answer,
  ],
  [
    'belongs to another factory',
    'quoterV2',
    'factory() answers otherwise than the row says',
    (one: string) => (call: Call, answer: Answer) =>
      call.method === 'eth_call' && (call.params[0] as { to: string }).to === one
        ? { ...answer, result: `0x${'0'.repeat(63)}1` }
        : answer,
  ],
  [
    'is silent',
    'quoterV2',
    'factory() does not answer',
    (one: string) => (call: Call, answer: Answer) =>
      call.method === 'eth_call' && (call.params[0] as { to: string }).to === one
        ? { ...answer, result: '0x' }
        : answer,
  ],
] as const)('a contract that %s is named, and what needs it', async (_, member, why, lie) => {
  const address = devnet().chain.amm.v3![member]
  const report = await verify(standIn(lie(address)))
  expect(report).toMatchObject({ ok: false, problems: [`v3.${member} ${address}: ${why}.`] })
  expect(report.tools.find(({ tool }) => tool === 'execute_swap')).toMatchObject({ can: 'in part', why: 'v2, v4' })
})

test('an endpoint that limits ranges of logs and batches and keeps no old state is found out', async () => {
  const limited = standIn((call, answer) => {
    if (call.method === 'eth_call' && call.params[1] !== 'latest') return refused(call.id)
    const [range] = call.params as [{ fromBlock: string; toBlock: string }?]
    const isWide = call.method === 'eth_getLogs' && Number(range?.toBlock) - Number(range?.fromBlock) >= 10
    return isWide ? refused(call.id) : answer
  }, 30)
  for (let block = 0; block < 120; block += 1) await devnet().mineTo(Math.floor(Date.now() / 1_000) + 3_600 + block)
  const report = await verify(limited)
  expect(report.endpoints).toMatchObject([{ stateDays: 0, batchSize: 25, logRangeBlocks: 10 }])
  const backtest = report.tools.find(({ tool }) => tool === 'backtest_lp_strategy')
  expect(backtest).toMatchObject({
    can: 'in part',
    why: expect.stringMatching(/14 days are needed .* keeps old state/),
  })
})

test.each([
  ['of another chain', 'eth_chainId', '0x1', 'serves chain 1'],
  ['that does not answer', 'eth_getBlockByNumber', null, 'does not answer'],
])('an endpoint %s is of no use, and says so', async (_, method, result, problem) => {
  const report = await verify(standIn((call, answer) => (call.method === method ? { ...answer, result } : answer)))
  expect(report).toMatchObject({ ok: false, endpoints: [{ problem }], problems: ['No endpoint answers for it.'] })
})
