import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { chains } from '@svc/wallet/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { plan } from '../../../tool-server/src/operator/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'
import { runToEnd } from '../processes.fixture.ts'
import { openWorldDirectory } from '../world-directory.ts'

const wallet = '0x00000000000000000000000000000000000000bb'
const weth = '0x4200000000000000000000000000000000000006'
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** Wraps one wei of ether on Base. */
const intent = {
  chainId: 8453,
  calls: [{ to: weth, data: '0xd0e30db0', valueWei: '1', label: 'wrap' }],
  atomicity: 'single',
  spends: [{ token: '0x0000000000000000000000000000000000000000', amount: '1' }],
  receives: [{ token: weth, amount: '1' }],
  approvals: [],
  riskTier: 'routine',
  slippageBps: null,
  deadline: null,
  recipients: [],
  why: 'wrap \u001b[31mether',
}

let dataDir = ''
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-policy-'))
})

const svc = (...words: readonly string[]) => callCommand(['policy', ...words, '--data-dir', dataDir])

const put = async (name: string, content: unknown) => {
  const path = join(dataDir, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return path
}

describe('svc policy', () => {
  it('check names what is wrong on stderr and exits with 1, and says what holds otherwise', async () => {
    const none = await svc('check')
    const whatHolds =
      'A server started now would take the defaults; one that runs and had the file signs nothing until it is back.'
    expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(whatHolds) })
    const nowhere = await callCommand(['policy', 'check', '--data-dir', join(dataDir, 'nowhere')])
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('does not exist')])
    const cut = await svc('check', await put('cut.json', '{"limitsUsd": '))
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringMatching(/ is not JSON: .*\nCorrect cut\.json there\.\n$/)])
    await put('policy.json', { limitsUsd: { daily: '1' }, principals: { local: { approvalThresholdUsd: '999' } } })
    const wrong = await svc('check')
    expect([wrong.code, wrong.stdout]).toEqual([1, ''])
    expect(await runToEnd(['policy', 'check', '--data-dir', dataDir])).toEqual(wrong)
    expect(wrong.stderr).toContain('  limitsUsd.perSession: is 1000 (default), above limitsUsd.daily, ')
    expect(wrong.stderr).toContain(
      '  principals.local.approvalThresholdUsd: must not be above approvalThresholdUsd (250)',
    )
    const other = await put('other.json', {
      principals: { local: { tools: ['excecute_swap'] } },
      valueRules: { tools: { remove_liqudity: {} } },
      contracts: { 424242: [] },
      twammHooks: { 424242: [] },
      priceSources: { 8453: { [weth]: { pools: [{ version: 'v2', id: weth, quote: usdc, fee: 3000 }] } }, 424242: {} },
    })
    const noted = await svc('check', other)
    expect([noted.code, noted.stderr]).toEqual([0, ''])
    expect(noted.stdout).toContain('note: principals.local.tools: there is no write tool excecute_swap')
    expect(noted.stdout).toContain('note: valueRules.tools: there is no write tool remove_liqudity')
    expect(noted.stdout).toContain('note: contracts.424242: no chain of this server has this id')
    expect(noted.stdout).toContain('note: twammHooks.424242: no chain of this server has this id')
    expect(noted.stdout).toContain('note: priceSources.424242: no chain of this server has this id')
    expect(noted.stdout).toContain(`note: priceSources.8453.${weth}.pools.0: says nothing: its id does not follow`)
    expect(noted.stdout).toMatch(/in order\. Audit lines name this policy [0-9a-f]{64}\./)
    expect((await svc('check', join(dataDir, 'absent.json'))).code).toBe(1)
    // The file may stand before the flags and behind them.
    for (const words of [
      ['--production', other],
      [other, '--production'],
    ]) {
      expect(await svc('check', ...words)).toMatchObject({ code: 0, stdout: expect.stringContaining(other) })
    }
    const stranger = await svc('check', await put('stranger.json', { principals: { 'key:write:1f9c': {} } }))
    expect(stranger.stderr).toContain('as svc keys list prints them for the keys of a server')
    const two = await svc('check', other, other)
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining('one file is read at a time')])
  })

  it('show prints every member in force, whether the file or a default says so, and what it comes to on the chains it names', async () => {
    const none = await svc('show')
    expect([none.code, none.stderr]).toEqual([0, ''])
    expect(none.stdout).toContain(
      `policy  the defaults, for there is no ${join(dataDir, 'policy.json')}\nmode    development\n`,
    )
    expect(none.stdout).toMatch(/^limitsUsd\.daily +2000 +default$/m)
    expect(none.stdout).toMatch(/^maxDailyLossUsd +40 +default$/m)
    expect(none.stdout).toMatch(
      /^lost at most in any 24 hours: 200 USD \(40 in trades .*, 120 of gas of bringing funds/m,
    )
    expect(none.stdout).toContain('No chain has an endpoint of its own')
    const stranger = '0x00000000000000000000000000000000000000cc'
    const limitsUsd = { daily: '1500' }
    const lists = { spenders: { 8453: [stranger] }, allowlist: { tokens: { 8453: [stranger] } } }
    await put('policy.json', { limitsUsd, ...lists, proxyDelay: false, maxDailyGasUsd: '7' })
    const shown = await svc('show', '--production')
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toContain(`policy  ${join(dataDir, 'policy.json')}\nmode    production\n`)
    const { hash, policy, mostLostUsd, chains: facts } = JSON.parse((await svc('show', '--json')).stdout)
    expect((await svc('check')).stdout).toContain(hash)
    expect(policy).toMatchObject({
      limitsUsd: { perSession: '1000', daily: '1500' },
      maxDailyLossUsd: '30',
      maxDailyGasUsd: '7',
    })
    expect(mostLostUsd).toMatchObject({ trades: '30', gas: '7', homeGas: '21', total: '58' })
    for (const row of [
      /limitsUsd\.daily +1500 +file/,
      /maxDailyGasUsd +7 +file/,
      /proxyDelay +true +production/,
      /allowlist\.mode +strict +default/,
    ]) {
      expect(shown.stdout).toMatch(new RegExp(`^${row.source}$`, 'm'))
    }
    expect(shown.stdout).toMatch(new RegExp(`^base \\(8453\\)\n {2}tokens +WETH, USDC,.*, ${stranger}\n`, 'm'))
    expect(shown.stdout).toMatch(
      new RegExp(`^ {2}spender +${stranger} listed by the policy\n {2}recipients +wallet$`, 'm'),
    )
    expect(facts).toMatchObject([{ id: 8453, tokens: expect.arrayContaining([{ address: stranger, symbol: null }]) }])
    await put('policy.json', { limitsUsd: { daily: 5 } })
    expect(await svc('show')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('limitsUsd.daily') })
  })

  it('notes limits that together allow less than each says', async () => {
    const file = await put('little.json', {
      approvalThresholdUsd: '500',
      approvals: { channels: [] },
      maxDailyGasUsd: '0',
    })
    const { code, stdout } = await svc('check', file)
    expect(code).toBe(0)
    const notes = stdout.split('\n').filter((line) => line.startsWith('note: '))
    expect(notes.map((line) => line.split(': ')[1])).toEqual([
      'approvalThresholdUsd',
      'approvals.channels',
      'maxDailyGasUsd',
    ])
    expect((await svc('check', await put('plain.json', {}))).stdout).not.toContain('note: ')
  })

  it('explain says what each rule says to a file with an intent, escaping what is strange', async () => {
    const path = await put('intent.json', {
      tool: 'execute_swap',
      principalId: 'local',
      spendUsdMicros: '300000000',
      intent,
    })
    const shown = await svc('explain', path, '--wallet', wallet, '--offline')
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toMatch(/^[ -~\n]*$/)
    expect(shown.stdout).toContain('wrap \\u001b[31mether')
    expect(shown.stdout).toContain('principal   local')
    expect(shown.stdout).toMatch(/ask +approvalThresholdUsd: a person is asked above 250 USD/)
    expect(shown.stdout).toContain('A person must approve this plan.')
    expect(shown.stdout).toMatch(/unknown +maxLossBps: [^\n]+\n +asked +not looked at/)
    expect(shown.stdout).toContain('Not looked at here: simulation, prices')
    await put('policy.json', { principals: { local: { tools: [] } } })
    const { stdout } = await svc('explain', path, '--wallet', wallet, '--json', '--offline')
    expect(JSON.parse(stdout).checks[0]).toMatchObject({ verdict: 'deny', code: 'PRINCIPAL_NOT_GRANTED' })
  })

  it('explain says what holds where the chain does not answer', async () => {
    const path = await put('intent.json', { tool: 'execute_swap', principalId: 'local', intent })
    const words = ['policy', 'explain', path, '--wallet', wallet, '--data-dir', dataDir] as const
    const shown = await callCommand(words, { SVC_RPC_URL_8453: 'http://127.0.0.1:9' })
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    expect(shown.stdout).toContain('prices      the chain could not be asked')
    expect(shown.stdout).toMatch(/value +not weighed: RPC_/)
    expect(shown.stdout).toContain('Nothing that could be checked stands against this plan.')
  })

  it('explain finds a stored plan by its id and counts what is spent', async () => {
    const store = await openStore({ path: join(dataDir, 'state.db'), now: Date.now })
    await store.operations.create({
      id: 'op-1',
      state: 'planned',
      principalId: 'api-key:00112233',
      principal: '{}',
      tool: 'execute_swap',
      input: '{}',
      chainId: 8453,
      planHash: '0x00',
      plan: JSON.stringify(plan),
      intent: JSON.stringify(intent),
      spendUsdMicros: 200_000_000n,
      expiresAt: null,
      executeAfter: null,
    })
    const limits = { perTransaction: 10n ** 12n, perSession: 10n ** 12n, daily: 10n ** 12n }
    const spend = {
      principal: 'someone',
      chainId: 8453,
      amountUsdMicros: 1_900_000_000n,
      limits,
      sessionIdleMs: 60_000,
    }
    await store.ledger.reserve({ ...spend, id: 'r', requestId: 'r' })
    const shown = await svc('explain', 'op-1', '--wallet', wallet, '--offline')
    expect(shown.stdout).toContain('principal   api-key:00112233')
    expect(shown.stdout).toMatch(/deny +limitsUsd\.daily: at most 2000 USD in any 24 hours, of which 1900 USD are used/)
    expect(shown.stdout).toContain('200 USD, and 2.4 USD for gas at worst')
    expect(shown.stdout).toContain('The policy refuses this plan.')
    const missing = await svc('explain', 'op-2', '--wallet', wallet)
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('there is no plan op-2')])
    await store.close()
  })

  it('test says in a sentence that there is no file of cases', async () => {
    expect(await svc('test')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('policy.test.json does not exist'),
    })
  })

  it('test runs the cases beside the policy and exits with 1 when one is not as expected', async () => {
    const honest = { name: 'wrap', intent, spendUsd: '1', expect: 'allow' }
    await put('policy.test.json', { wallet, cases: [honest] })
    expect(await svc('test')).toMatchObject({
      code: 0,
      stdout: 'ok    wrap\n1 of 1 cases are as expected.\n',
      stderr: expect.stringMatching(/^Policy: the defaults, for there is no .*policy\.json\n$/),
    })
    await put('policy.json', { limitsUsd: { perTransaction: '0.5' } })
    const failed = await svc('test')
    expect([failed.code, failed.stdout]).toEqual([
      1,
      expect.stringContaining('FAIL  wrap: expected allow, but it is denied'),
    ])
    await put('policy.test.json', { wallet, cases: [{ ...honest, expect: 'perhaps' }] })
    const malformed = await svc('test')
    expect([malformed.code, malformed.stderr]).toEqual([1, expect.stringContaining('cases.0.expect')])
  })

  it('compile prints rules for the provider, and what they cannot say', async () => {
    const compiled = await svc('compile', '--template', 'vault_manager', '--chains', '8453')
    const place = join(dataDir, 'policy.json')
    expect([compiled.code, compiled.stderr]).toEqual([0, `Policy: the defaults, for there is no ${place}\n`])
    expect(JSON.parse(compiled.stdout)).toMatchObject({
      provider: 'privy',
      role: 'vault_manager',
      policy: { version: '1.0', chain_type: 'ethereum' },
      notExpressed: expect.arrayContaining([expect.stringContaining('simulation')]),
    })
    expect((await svc('compile', '--template', 'owner')).code).toBe(2)
    expect((await svc('compile', '--chains', '8453,999')).code).toBe(2)
    await put('policy.json', {})
    const whole = await svc('compile')
    expect(whole.stderr).toMatch(
      /^Policy: .*\nChains: .*ethereum, .* \(all mainnets, for no chain has .*--chains names others\n$/,
    )
    expect(JSON.parse(whole.stdout).aggregations.length).toBe(11)
    const endpoint = 'http://127.0.0.1:1'
    const endpoints = { SVC_RPC_URL_8453: endpoint, SVC_RPC_URL_11155111: endpoint }
    const own = await callCommand(['policy', 'compile', '--data-dir', dataDir], endpoints)
    expect(own.stderr).toBe(
      `Policy: ${place}\nChains: base, sepolia (with an endpoint of their own); --chains names others\n`,
    )
    expect(JSON.parse(own.stdout).aggregations.length).toBe(2)
    // The defaults are not what a slip in a name asks for.
    const nowhere = await callCommand(['policy', 'compile', '--data-dir', join(dataDir, 'nowhere')])
    expect(nowhere).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('nowhere does not exist') })
    const noFile = await svc('compile', '--policy', join(dataDir, 'absent.json'))
    expect(noFile).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('absent.json does not exist') })
  })

  it('add-token names the words that are off before it asks for a terminal', async () => {
    const off = await svc('add-token', 'mars', weth, '--heartbeat', '60')
    expect([off.code, off.stdout]).toEqual([2, ''])
    expect(off.stderr).toContain('these words are off\n  CHAIN: accepted: ')
    expect(off.stderr).toContain('--heartbeat: only beside --feed')
    expect(off.stderr).not.toContain('terminal')
    expect((await svc('add-token', 'base', weth)).stderr).toContain('There is no terminal to ask on')
  })

  it('add-token names the setting of the endpoint that fails, and a local world that is not running', async () => {
    const words = ['policy', 'add-token', 'base', '0x00000000000000000000000000000000000000aa', '--json'] as const
    const away = { SVC_RPC_URL_8453: 'http://127.0.0.1:9' }
    const shown = await callCommand([...words, '--data-dir', dataDir], away)
    expect([shown.code, shown.stderr]).toEqual([1, expect.stringContaining('an endpoint in SVC_RPC_URL_8453 that')])
    const world = await openWorldDirectory(join(dataDir, 'world'))
    world.dispose()
    const base = chains.find(({ id }) => id === 8_453)
    await put('world/chains.json', [{ ...base, publicRpcUrls: ['http://127.0.0.1:9'] }])
    const ended = await callCommand([...words, '--data-dir', world.path], {})
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining(`world of ${world.path} is not running`)])
  })

  it('schema prints what is published, and unknown words are refused with 2', async () => {
    const schema = await callCommand(['policy', 'schema'])
    expect(schema.code).toBe(0)
    expect(JSON.parse(schema.stdout)).toMatchObject({ title: 'policy.json', additionalProperties: false })
    expect((await svc('complie')).stderr).toMatch(
      /, schema or compile\. Did you mean compile\?\nSee: svc help policy\n$/,
    )
    for (const words of [['loosen'], ['explain'], ['check', '--force']]) expect((await svc(...words)).code).toBe(2)
  })
})
