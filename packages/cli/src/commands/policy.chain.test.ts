import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { useDevnet } from '@svc/devnet/testing'
import { openStore } from '@svc/store'
import { createTestClient, createWalletClient, http } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plan } from '../../../tool-server/src/operator/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'
import { addToken } from '../policy/add-token.ts'
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
      budgets: [{ name: 'loss', asksUsd: '2.1225', usedUsd: '0', capUsd: '40' }, {}, {}, {}],
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

  type StoreChange = { readonly state?: 'awaiting_approval'; readonly ago?: number; readonly tool?: string }

  /** As a server leaves it that planned it so many seconds ago. */
  async function storeSwap(of: SwapPlan, change: StoreChange = {}) {
    const { state = 'planned', ago = 0 } = change
    const store = await openStore({ path: join(directory, 'state.db'), now: () => Date.now() - ago * 1_000 })
    const { tool, principalId, intent } = { ...swap(of), ...change }
    await store.operations.create({
      state,
      principal: '{}',
      input: '{}',
      planHash: '0x00',
      expiresAt: null,
      executeAfter: null,
      id: 'op-1',
      tool,
      principalId,
      chainId: devnet().chainId,
      plan: JSON.stringify(plan),
      intent: JSON.stringify(intent),
      spendUsdMicros: 151_000_000n,
    })
    return store
  }

  it('judges a plan that waits by the deadline that carrying it out gives it, and says how it stands first', async () => {
    const ago = 660
    const planned = Math.floor(Date.now() / 1_000) - ago + 600
    const store = await storeSwap({ ...honest, deadline: planned }, { state: 'awaiting_approval', ago })
    const waits = await svc('explain', 'op-1', '--wallet', wallet())
    expect(waits.stdout).toMatch(
      /^state {7}awaits a decision\ndeadline {4}[\d-]+T[\d:]+\.000Z as planned; carried out now it is [\d-]+T[\d:]+\.000Z, which is judged\nplan /,
    )
    expect(waits.stdout).toContain('\nThe policy lets this plan pass.\n')
    const { state, deadline } = JSON.parse((await svc('explain', 'op-1', '--wallet', wallet(), '--json')).stdout)
    expect([state, deadline.planned]).toEqual(['awaiting_approval', planned])
    expect(deadline.judged - planned).toBeGreaterThanOrEqual(ago)
    await store.operations.decide('op-1', { approved: false, by: 'operator:ada', planHash: '0x00' })
    const over = await svc('explain', 'op-1', '--wallet', wallet())
    expect(over.stdout).toMatch(/^state {7}denied \(decided by operator:ada\)\. Nobody carries it out any more; /)
    expect(over.stdout).toContain('\nPlanned anew, the policy would let it pass.\n')
    await store.close()
  })

  it('says of a harvest that failed that execute_plan may go on with it', async () => {
    const store = await storeSwap(honest, { tool: 'harvest_rewards' })
    await store.operations.claim('op-1', { requestId: 'r' })
    await store.operations.finish('op-1', { state: 'failed', answer: '{}' })
    const { stdout } = await svc('explain', 'op-1', '--wallet', wallet(), '--offline')
    expect(stdout).toMatch(
      /^state {7}failed\. If it stopped on its way less than 24 hours ago, execute_plan goes on with /,
    )
    expect(stdout).toMatch(/^Planned anew, /m)
    await store.close()
  })

  it('counts what a stored plan asks of the budgets beside what is used', async () => {
    const store = await storeSwap(honest)
    const limits = { perTransaction: 10n ** 12n, perSession: 10n ** 12n, daily: 10n ** 12n }
    const loss = { name: 'loss', usdMicros: 39_500_000n, capUsdMicros: 40_000_000n }
    const spend = { principal: 'someone', chainId: 8453, amountUsdMicros: 1n, limits, sessionIdleMs: 60_000 }
    await store.ledger.reserve({ ...spend, budgets: [loss], id: 'r', requestId: 'r' })
    const shown = await svc('explain', 'op-1', '--wallet', wallet())
    expect(shown.stdout).toMatch(
      /^deny +maxDailyLossUsd: [^\n]*at most 40 USD in any 24 hours, of which 39\.5 USD are used\n +asked +2\.1225 USD\n +code +VALUE_LOSS/m,
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

describe('svc policy add-token', () => {
  /** Pools are a week old and traded in; DAI, which the row no longer lists, has two deep ones. */
  beforeEach(async () => {
    const { chain } = devnet()
    const tokens = chain.tokens.filter(({ symbol }) => symbol !== 'DAI')
    await put('chains.json', [{ ...chain, tokens }])
    await devnet().mineTo(Math.floor(Date.now() / 1_000) + 8 * 86_400)
    await devnet().market.move({})
    await devnet().trade(12, 'add-token', ['v3 DAI/USDC 0.01 %', 'v3 DAI/WETH 0.3 %'].map(poolOf))
  })
  const addressOf = (symbol: string) => devnet().tokens.find((token) => token.symbol === symbol)!.address
  const poolOf = (label: string) => devnet().pools.find((pool) => `${pool.version} ${pool.label}` === label)!.id
  const expectedOfDai = {
    low: expect.stringMatching(/^0\.[45]\d*$/),
    high: expect.stringMatching(/^(2|1\.9|2\.0)\d*$/),
  }
  const policyPath = () => join(directory, 'policy.json')
  const withDai = (policy: object, sources: unknown) => ({
    ...policy,
    priceSources: { [devnet().chainId]: { [addressOf('DAI')]: sources } },
  })
  const policyNow = async () => JSON.parse(await readFile(policyPath(), 'utf8'))

  it('writes token and sources after a yes, shows what each says, and changes nothing the second time', async () => {
    await put('policy.json', { limitsUsd: { daily: '1500' }, allowlist: { tokens: { 1: [] } } })
    const added = await svc('add-token', 'local', addressOf('DAI'), '--yes')
    expect([added.code, added.stderr]).toEqual([0, ''])
    const pools = ['v3 DAI/USDC 0.01 %', 'v3 DAI/WETH 0.3 %'].map(poolOf)
    expect(added.stdout).toMatch(/^token +"DAI" 0x\w{40}, 18 decimals, not on the list of local$/m)
    for (const id of pools) {
      expect(added.stdout).toMatch(new RegExp(`propose +v3 [\\d.]+ % against \\w+ +${id}\\n +[\\d,]+ USD of it and`))
      expect(added.stdout).toMatch(new RegExp(`counts +[\\d.]+ to [\\d.]+ +v3 pool ${id}: mean of 30 min`))
    }
    expect(added.stdout).toMatch(/^price +[\d.]+ to [\d.]+ USD, \d+ bps wide$/m)
    expect(added.stdout).toMatch(/a day moves [\d,]+ USD of it at most, and 300 USD of all such tokens/)
    expect(added.stdout).toMatch(/^expected +0\.\d+ to [12]\.?\d* USD$/m)
    expect(added.stdout).toContain(`Written to ${policyPath()}; what stood there before is in ${policyPath()}.bak.`)
    const written = await policyNow()
    expect(written).toMatchObject({
      limitsUsd: { daily: '1500' },
      allowlist: { tokens: { 1: [], [devnet().chainId]: [addressOf('DAI')] } },
      priceSources: {
        [devnet().chainId]: { [addressOf('DAI')]: { pools: pools.map((id) => ({ id })), expectedUsd: expectedOfDai } },
      },
    })
    expect((await stat(policyPath())).mode & 0o777).toBe(0o600)
    expect((await svc('check')).code).toBe(0)
    const again = await svc('add-token', 'local', addressOf('DAI').toLowerCase(), '--yes', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'unchanged', backup: null })
    expect(await policyNow()).toEqual(written)
    // A price that left what is expected: the operator is asked anew.
    const sources = written.priceSources[devnet().chainId][addressOf('DAI')]
    await put('policy.json', withDai(written, { ...sources, expectedUsd: { low: '3', high: '4' } }))
    expect((await svc('add-token', 'local', addressOf('DAI'), '--yes')).code).toBe(0)
    expect(await policyNow()).toEqual(written)
  })

  it('adds a feed that is named, and keeps it when only pools are looked for again', async () => {
    const { address } = devnet().feeds.DAI
    const words = ['add-token', 'local', addressOf('DAI'), '--yes', '--json']
    const feed = ['--feed', address, '--heartbeat', '86400', '--deviation-bps', '25']
    const { status, sources, band } = JSON.parse((await svc(...words, ...feed)).stdout)
    expect([status, sources.feed, band.basis]).toEqual([
      'added',
      { address, heartbeatSeconds: 86_400, deviationBps: 25, decimals: 8 },
      'feed',
    ])
    expect(JSON.parse((await svc(...words)).stdout)).toMatchObject({
      status: 'unchanged',
      sources: { feed: { address } },
    })
    expect(JSON.stringify(await policyNow())).not.toContain('expectedUsd')
  })

  it('asks a person, for whom only a yes is one; and writes nothing to whoever only looks', async () => {
    const looked = await svc('add-token', 'local', addressOf('DAI'), '--json')
    expect([looked.code, JSON.parse(looked.stdout)]).toMatchObject([
      0,
      {
        status: 'proposed',
        pools: expect.arrayContaining([expect.objectContaining({ proposed: true, isWeekOld: true })]),
      },
    ])
    const blind = await svc('add-token', 'local', addressOf('DAI'))
    expect([blind.code, blind.stderr]).toEqual([2, expect.stringContaining('There is no terminal to ask on')])
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    vi.stubEnv('SVC_CHAINS_FILE', join(directory, 'chains.json'))
    const codes = []
    for (const answer of ['\n', 'n\n', 'yeah\n', '', 'y\n', 'yes\n']) {
      const input = Object.assign(new PassThrough(), { isTTY: true })
      const output = new PassThrough({ encoding: 'utf8' })
      const words = ['local', addressOf('DAI'), '--data-dir', directory]
      input.end(answer)
      codes.push(await addToken(words, new Promise<never>(() => {}), { input, output }))
      expect(output.read()).toContain(`Write this to ${policyPath()}? Type yes: `)
      expect(await readdir(directory)).toEqual(answer === 'yes\n' ? ['chains.json', 'policy.json'] : ['chains.json'])
    }
    write.mockRestore()
    vi.unstubAllEnvs()
    expect(codes).toEqual([1, 1, 1, 1, 1, 0])
  })

  it('refuses what nothing vouches for, a token that is none, and a file that is not valid; and leaves the file alone', async () => {
    const before = { limitsUsd: { daily: '1500' } }
    await put('policy.json', before)
    const thin = await svc('add-token', 'local', addressOf('FOT'), '--yes')
    expect([thin.code, thin.stdout]).toEqual([
      1,
      expect.stringMatching(/pass over v2 0\.3 % against WETH[^]+it is thin: /),
    ])
    expect(thin.stdout).toContain('Nothing can be proposed, so nothing was written.')
    expect(thin.stdout).toContain('no more than speculativeUsd a day (150 now), and')
    await put('policy.json', { ...before, allowlist: { mode: 'strict' } })
    const strict = await svc('add-token', 'local', addressOf('FOT'), '--yes')
    expect(strict.stdout).toContain('no more than speculativeUsd a day (which is 0 now: set it too), and')
    await put('policy.json', before)
    const hostile = await svc('add-token', 'local', addressOf('HOSTILE'), '--yes')
    expect([hostile.code, hostile.stdout]).toEqual([1, expect.stringMatching(/^[ -~\n]*$/)])
    const none = await svc('add-token', 'local', wallet(), '--yes')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No token contract stands at this address')])
    const words = await svc('add-token', 'mars', addressOf('FOT'), '--heartbeat', '60', '--yes')
    expect([words.code, words.stderr]).toEqual([
      2,
      expect.stringMatching(/\n {2}CHAIN: accepted: [^]*, local, [^]*\n {2}--heartbeat: /),
    ])
    const feed = ['--feed', addressOf('FOT'), '--heartbeat', '60', '--deviation-bps', '25']
    const silent = await svc('add-token', 'local', addressOf('DAI'), '--yes', ...feed)
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('--feed: it answers no round')])
    expect(await policyNow()).toEqual(before)
    await put('policy.json', { limitsUsd: { daily: 1500 } })
    const broken = await svc('add-token', 'local', addressOf('DAI'), '--yes')
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('  limitsUsd.daily: accepted')])
    expect((await readdir(directory)).toSorted()).toEqual(['chains.json', 'policy.json'])
  })
})

describe('svc policy add-delegate', () => {
  const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  const delegate = '0x150FFBE8802044d9edd02Bf7260E096E5Dbe681a'
  const takeAway = async () => {
    await node().setCode({ address: delegate, bytecode: '0x' })
    await node().setNonce({ address: delegate, nonce: 0 })
  }
  const written = async () => JSON.parse(await readFile(join(directory, 'policy.json'), 'utf8'))

  it('prints the transaction that deploys it, and names it in the policy once it stands there', async () => {
    await takeAway()
    const missing = await svc('add-delegate', 'local', '--yes')
    expect([missing.code, missing.stderr]).toEqual([1, ''])
    expect(missing.stdout).toContain('Send that transaction from any account')
    const looked = JSON.parse((await svc('add-delegate', `${devnet().chainId}`, '--json')).stdout)
    expect(looked).toMatchObject({ status: 'missing', delegate, backup: null })
    expect(missing.stdout).toContain(`data        ${looked.deployment.data}`)
    expect(await readdir(directory)).toEqual(['chains.json'])
    const stranger = createWalletClient({ account: devnet().accounts[5]!.address, transport: http(devnet().rpcUrl) })
    const { to, data } = looked.deployment
    await stranger.sendTransactionSync({ chain: null, to, data })
    expect(JSON.parse((await svc('add-delegate', 'local', '--json')).stdout)).toMatchObject({ status: 'proposed' })
    expect(await readdir(directory)).toEqual(['chains.json'])
    const other = devnet().simple7702Account
    await put('policy.json', { batchDelegate: { [devnet().chainId]: other } })
    expect((await svc('add-delegate', 'local', '--yes')).stdout).toContain(`replaces    ${other}, which`)
    await put('policy.json', { limitsUsd: { daily: '1500' }, batchDelegate: { 8453: delegate } })
    const added = await svc('add-delegate', 'local', '--yes', '--json')
    expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, { status: 'added', deployment: null }])
    const batchDelegate = { 8453: delegate, [devnet().chainId]: delegate }
    expect(await written()).toEqual({ limitsUsd: { daily: '1500' }, batchDelegate })
    expect((await svc('check')).code).toBe(0)
    const again = await svc('add-delegate', 'local', '--yes')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('names it already')])
  })

  it('names no other code that stands there, and says where the chain lacks what deploys it', async () => {
    await node().setCode({ address: delegate, bytecode: '0x00' })
    expect(JSON.parse((await svc('add-delegate', 'local', '--yes', '--json')).stdout).status).toBe('missing')
    await takeAway()
    await node().setCode({ address: '0x4e59b44847b379578588920cA78FbF26c0B4956C', bytecode: '0x' })
    const bare = await svc('add-delegate', 'local', '--yes')
    expect([bare.code, bare.stdout]).toEqual([1, expect.stringContaining('the chain lacks the proxy 0x4e59b')])
    const off = await svc('add-delegate', 'mars', '--yes')
    expect([off.code, off.stderr]).toEqual([2, expect.stringContaining('CHAIN: accepted: ')])
    expect((await svc('add-delegate', 'local')).stderr).toContain('There is no terminal to ask on')
    expect(await readdir(directory)).toEqual(['chains.json'])
  })
})
