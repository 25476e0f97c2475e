import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { plan } from '../approvals/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'
import { swapPlan, type SwapPlan } from '../policy/swap-plan.fixture.ts'

const devnet = useDevnet()
let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-policy-'))
  await put('chains.json', [devnet().chain])
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const put = async (name: string, content: unknown) => {
  const path = join(directory, name)
  await writeFile(path, JSON.stringify(content), { mode: 0o600 })
  return path
}
const svc = (...words: readonly string[]) =>
  callCommand(['policy', ...words, '--data-dir', directory], { SVC_CHAINS_FILE: join(directory, 'chains.json') })
const wallet = () => devnet().accounts[0]!.address
const swap = (of: SwapPlan) => swapPlan(devnet(), wallet(), of)
const honest: SwapPlan = { weth: '0.05', leastUsdc: '149' }

describe('svc policy explain, on a chain', () => {
  it('says which source says what, what leaves and comes back, and that nothing stands against an honest swap', async () => {
    const path = await put('plan.json', swap(honest))
    const shown = await svc('explain', path, '--wallet', wallet())
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    const { chain } = devnet()
    const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => chain.tokens.find((token) => token.symbol === symbol)!)
    for (const { priceSources } of [weth!, usdc!]) expect(shown.stdout).toContain(`feed ${priceSources!.feed!.address}`)
    for (const { version, id } of weth!.priceSources!.pools!) expect(shown.stdout).toContain(`${version} pool ${id}: `)
    expect(shown.stdout).toMatch(
      /^ {2}ETH, WETH {2}[\d.]+ to [\d.]+ USD, \d+ bps wide, by a feed or peg; limits count /m,
    )
    expect(shown.stdout).toMatch(/^ {4}counts +1 to 1 +peg: target price$/m)
    expect(shown.stdout).toMatch(/leaves 150 USD, comes back 149\.9/)
    expect(shown.stdout).toMatch(/a loss of \d+ bps of \d+ allowed/)
    expect(shown.stdout).toContain('The policy lets this plan pass.')
    const { weighed } = JSON.parse((await svc('explain', path, '--wallet', wallet(), '--json')).stdout)
    expect(weighed).toMatchObject({
      failure: null,
      value: { outUsd: '150', isExit: false, refusals: [] },
      budgets: [{ name: 'loss', asksUsd: '1', usedUsd: '0', capUsd: '40' }, {}, {}],
    })
    expect(weighed.prices.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['ETH', 'WETH', 'USDC'])
  })

  it('refuses what the calldata would let be lost, though the simulation is honest', async () => {
    const path = await put('plan.json', swap({ ...honest, leastUsdc: '140' }))
    const shown = await svc('explain', path, '--wallet', wallet())
    expect(shown.stdout).toMatch(/^deny +maxLossBps: /m)
    expect(shown.stdout).toContain('VALUE_LOSS_EXCEEDED')
    expect(shown.stdout).toContain('The policy refuses this plan.')
  })

  it('counts what a stored plan asks of the budgets beside what is used', async () => {
    const store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
    const { tool, principalId, intent } = swap(honest)
    const made = { state: 'planned', principal: '{}', input: '{}', planHash: '0x00', expiresAt: null } as const
    await store.operations.create({
      ...made,
      id: 'op-1',
      tool,
      principalId,
      chainId: devnet().chainId,
      plan: JSON.stringify(plan),
      intent: JSON.stringify(intent),
      spendUsdMicros: 151_000_000n,
      executeAfter: null,
    })
    const limits = { perTransaction: 10n ** 12n, perSession: 10n ** 12n, daily: 10n ** 12n }
    const loss = { name: 'loss', usdMicros: 39_500_000n, capUsdMicros: 40_000_000n }
    const spend = { principal: 'someone', chainId: 8453, amountUsdMicros: 1n, limits, sessionIdleMs: 60_000 }
    await store.ledger.reserve({ ...spend, budgets: [loss], id: 'r', requestId: 'r' })
    const shown = await svc('explain', 'op-1', '--wallet', wallet())
    expect(shown.stdout).toMatch(
      /^deny +maxDailyLossUsd: [^\n]*at most 40 USD in any 24 hours, of which 39\.5 USD are used\n +asked +1 USD\n +code +VALUE_LOSS/m,
    )
    await store.close()
  })

  it('shows prices also where the call would fail, and says why it would', async () => {
    const path = await put('plan.json', swap({ weth: '1000', leastUsdc: '2900000' }))
    const shown = await svc('explain', path, '--wallet', '0x00000000000000000000000000000000000000bb')
    expect(shown.stdout).toMatch(/value +not weighed: INSUFFICIENT_BALANCE: /)
    expect(shown.stdout).toMatch(/^ {2}ETH, WETH {2}/m)
    expect(shown.stdout).toMatch(/^unknown +maxLossBps: [^\n]+\n +asked +not weighed/m)
    expect(shown.stdout).toContain('The policy refuses this plan.')
  })
})
