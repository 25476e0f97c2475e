import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { askChain, call, connect } from '../clients.fixture.ts'
import { goneAfter, program, readyLine, repository, run, runUp, type Run } from '../processes.fixture.ts'

const timeout = 300_000

/** Selector of the registry's `getVersion()`. */
const getVersion = '0x0d8e6e2c'

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

function up(...flags: readonly string[]): Run {
  const world = runUp(flags)
  opened.push(() => world.end())
  return world
}

/** Ends a world in good order. */
async function down(world: Run): Promise<void> {
  process.kill(world.session, 'SIGTERM')
  await goneAfter(world)
  expect(await world.exited).toBe(0)
}

function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))
  opened.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const address = expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)

describe('svc up --json', { timeout }, () => {
  it('prints exactly one line of the documented shape on stdout, which is all that examples/lp-on-a-pool.mjs needs', async () => {
    const world = up()
    const ready = await readyLine(world)
    expect(ready).toEqual({
      ready: true,
      mcp: {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/),
        keys: {
          read: expect.stringMatching(/^svc_read_[\w-]{43}$/),
          feedback: expect.stringMatching(/^svc_feedback_[\w-]{43}$/),
          write: expect.stringMatching(/^svc_write_[\w-]{43}$/),
        },
      },
      rpc: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), chainId: 31_337 },
      wallet: { address },
      api: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), appId: 'svc-local' },
      orders: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/), reactor: address },
      crossChain: {
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        chainId: 31_338,
        chain: 'local-2',
        settler: address,
      },
      registry: { address },
      rewards: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), distributor: address },
      tokens: expect.arrayContaining([{ symbol: 'USDC', address, decimals: 6 }]),
      pools: expect.any(Array),
      twamm: { hook: address, pool: expect.objectContaining({ version: 'v4', hooks: ready.twamm.hook }) },
      vaults: expect.arrayContaining([{ label: 'Agent USDC vault', address, asset: address }]),
    })
    expect(await askChain(ready, 'eth_call', { to: ready.registry.address, data: getVersion }, 'latest')).toContain(
      Buffer.from('2.0.0').toString('hex'),
    )
    const members = Object.entries(ready).map(([name, value]: [string, unknown]) => {
      const inner = Object.keys(value ?? {}).map((member) => JSON.stringify(member))
      return Array.isArray(value)
        ? `"${name}"`
        : `"${name}":${inner.length === 0 ? String(value) : `{${inner.join(',')}}`}`
    })
    expect(readFileSync(join(repository, 'docs', 'clients.md'), 'utf8')).toContain(`\`{${members.join(',')}}\``)
    expect(ready.pools).toHaveLength(15)
    expect(ready.pools[0]).toEqual({
      version: 'v3',
      id: address,
      token0: address,
      token1: address,
      fee: 100,
      tickSpacing: 1,
      hooks: null,
      label: 'WETH/USDC 0.01 %',
    })
    expect(new Set([ready.mcp.url, ready.rpc.url, ready.api.url].map((url) => new URL(url).port)).size).toBe(3)
    const worldFile = join(temporaryDirectory(), 'world.txt')
    writeFileSync(worldFile, world.printed.stdout)
    const example = run(process.execPath, [join(repository, 'examples/lp-on-a-pool.mjs'), '--world', worldFile])
    opened.push(() => example.end())
    expect(await example.exited).toBe(0)
    expect(example.printed.stdout).toMatch(
      /^WETH\/USDC at .*\nrange +[\d.]+ to [\d.]+\ntime in +[\d.]+ ± [\d.]+ %\nIL .+ ± .+\nnet APR .+ ± .+\n/,
    )
    await down(world)
    expect(world.printed.stdout).toBe(`${JSON.stringify(ready)}\n`)
  })

  it('takes the ports it is told, and serves the page of the support API, where a wallet gets gas, once', async () => {
    const [mcpPort, rpcPort, apiPort] = [await freePort(), await freePort(), await freePort()]
    const ports = ['--mcp-port', `${mcpPort}`, '--rpc-port', `${rpcPort}`, '--api-port', `${apiPort}`]
    const ready = await readyLine(up(...ports))
    expect(ready.api.url).toBe(`http://127.0.0.1:${apiPort}`)
    expect(ready.mcp.url).toBe(`http://127.0.0.1:${mcpPort}/mcp`)
    expect(ready.rpc.url).toBe(`http://127.0.0.1:${rpcPort}`)
    expect(await askChain(ready, 'eth_chainId')).toBe('0x7a69')
    const { api } = ready
    const page = await fetch(api.url)
    expect(await page.text()).toContain('Ask for gas')
    const body = JSON.stringify({ address: `0x${'5a'.repeat(20)}`, chainId: 31_337, appId: api.appId })
    const claim = () => {
      return fetch(`${api.url}/v1/faucet/request`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    }
    expect([(await claim()).status, (await claim()).status]).toEqual([200, 409])
  })

  it('opens the ways in that it is asked for: an authorization server beside it, wallets that sign in, WebSocket', async () => {
    const world = up('--oauth', '--sign-in', '--websocket')
    const { oauth, signIn: wallets, webSocket, mcp } = await readyLine(world)
    const issuer = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect({ oauth, wallets, webSocket }).toEqual({
      oauth: {
        issuer,
        tokenUrl: `${oauth?.issuer}/token`,
        machine: { clientId: 'local-machine', clientSecret: expect.stringMatching(/^[\w-]{43}$/) },
        program: { clientId: 'local-program', redirectUri: 'http://127.0.0.1/callback' },
      },
      wallets: { url: new URL('/auth/siwe', mcp.url).href, chainId: 31_337 },
      webSocket: { url: mcp.url.replace('http', 'ws') },
    })
    const refused = await fetch(mcp.url)
    expect(await refused.json()).toMatchObject({ challenge: { type: 'siwe', chainId: 31_337 } })
    const place = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? ''
    expect(await (await fetch(place)).json()).toMatchObject({
      resource: mcp.url,
      authorization_servers: [oauth?.issuer],
    })
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }
    const key = {
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'mcp',
    }
    const status = await new Promise((resolve, reject) => {
      const headers = { ...upgrade, ...key, authorization: `Bearer ${mcp.keys.read}` }
      const asking = request(mcp.url, { headers })
      asking.on('upgrade', ({ statusCode }, socket) => {
        socket.destroy()
        resolve(statusCode)
      })
      asking.on('response', ({ statusCode }) => resolve(statusCode))
      asking.on('error', reject)
      asking.end()
    })
    expect(status).toBe(101)
    await down(world)
  })

  it('has a trading API beside it build deposits, swaps, collections, claims and migrations, when asked for one', async () => {
    const ready = await readyLine(up('--trading-api'))
    expect(ready.tradingApi).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/) })
    const client = await connect(ready)
    opened.push(() => client.close())
    const [chain, version] = ['local', 'v4']
    // The one v4 pool of the pair, so that the swap pays this position.
    const deposit = {
      chain,
      version,
      token0: 'USDC',
      token1: 'USDT',
      amount0: '5000',
      fee: 100,
      rangeStrategy: 'narrow',
    }
    const { positionId, notes: ofDeposit } = await call(client, 'add_liquidity', deposit)
    const ofSwap = await call(client, 'execute_swap', { chain, tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1' })
    for (const built of [ofDeposit, ofSwap['notes']]) {
      expect(built).toContain('The calls were built by the trading API and checked here.')
    }
    await call(client, 'execute_swap', { chain, version, tokenIn: 'USDC', tokenOut: 'USDT', amount: '5000' })
    const { notes } = await call(client, 'collect_fees', { chain, version, positionId })
    expect(notes).toContain('The calls were built by the trading API and checked here.')
    const claimed = await call(client, 'claim_lp_rewards', { chain, tokens: ['USDC', 'WETH'] })
    expect(claimed).toMatchObject({ status: 'success', distributor: ready.rewards.distributor })
    const old = await call(client, 'add_liquidity', { ...deposit, version: 'v3' })
    expect(await call(client, 'migrate_position', { chain, positionId: old['positionId'] })).toMatchObject({
      status: 'success',
      oldPositionId: old['positionId'],
      version: 'v4',
    })
  })

  it('has a second chain, to which cross-chain orders lead and from which they lead back, each filled at once', async () => {
    const ready = await readyLine(up())
    const { chain: other, ...there } = ready.crossChain
    const client = await connect(ready)
    opened.push(() => client.close())
    const { items } = await call(client, 'list_supported_chains', {})
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'local', rpcHealthy: true }),
        expect.objectContaining({ id: there.chainId, name: other, rpcHealthy: true }),
      ]),
    )
    expect(await call(client, 'get_agent_balance', { chain: other })).toMatchObject({ tokens: [] })
    const cross = async (chain: string, destinationChain: string, token: string, amount: string) => {
      const order = { tokenIn: token, tokenOut: token, amount, chain, destinationChain }
      const placed = await call(client, 'submit_cross_chain_intent', order)
      const read = () => call(client, 'get_operation', { operationId: placed['operationId'] })
      await expect.poll(read, { timeout }).toMatchObject({ result: { isFinal: true } })
      const { state, result } = await read()
      return { placed, state, result }
    }
    const { placed, ...ended } = await cross('local', other, 'USDC', '1000')
    expect(ended).toEqual({
      state: 'filled',
      result: expect.objectContaining({
        origin: expect.objectContaining({ amountIn: '1000', txHash: placed['txHash'], refundTxHash: null }),
        destination: expect.objectContaining({
          chain: { id: there.chainId, name: other },
          amountOut: placed['minAmountOut'],
          txHash: expect.stringMatching(/^0x/),
        }),
      }),
    })
    // The other chain has the transaction, and the first has not.
    const { txHash } = (ended.result as { readonly destination: { readonly txHash: string } }).destination
    expect(await askChain({ rpc: there }, 'eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x1' })
    expect(await askChain(ready, 'eth_getTransactionReceipt', txHash)).toBeNull()
    expect(await call(client, 'get_agent_balance', { chain: other })).toMatchObject({
      tokens: [{ symbol: 'USDC', amount: placed['minAmountOut'] }],
    })
    expect(await cross(other, 'local', 'USDC', '500')).toMatchObject({ state: 'filled' })
    // At the same market, a token is worth on either chain what it is worth on the other.
    const ether = await cross('local', other, 'WETH', '1')
    expect(Number(ether.placed['minAmountOut'])).toBeGreaterThan(0.985)
    expect(Number(ether.placed['minAmountOut'])).toBeLessThan(1)
  })

  it.each(['--mcp-port', '--rpc-port', '--api-port'])(
    'refuses a port that is taken, starting nothing: %s',
    async (flag) => {
      const port = await takenPort()
      const world = up(flag, String(port))
      expect(await world.exited).toBe(1)
      expect(world.printed.stdout).toBe('')
      expect(world.printed.stderr).toBe(
        `svc up: ${flag} ${port} cannot be had: another program listens there. Choose another, or 0 for any free one.\n`,
      )
      await goneAfter(world)
      expect(world.leftFiles()).toEqual([])
    },
  )

  it('under --chain-id puts the local chain in the place of the public one', async () => {
    const [chainId, publicName] = [84_532, 'base-sepolia']
    const ready = await readyLine(up('--chain-id', String(chainId)))
    expect(ready.rpc.chainId).toBe(chainId)
    const client = await connect(ready)
    const usdc = ready.tokens.find(({ symbol }) => symbol === 'USDC')!.address
    for (const chain of [String(chainId), publicName, 'local']) {
      const { items } = await call(client, 'search_tokens', { query: 'USDC', chain })
      expect(items).toEqual([expect.objectContaining({ address: usdc, chain: { id: chainId, name: 'local' } })])
      const { route } = await call(client, 'get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain })
      expect(route).toEqual([expect.objectContaining({ pool: expect.toBeOneOf(ready.pools.map(({ id }) => id)) })])
    }
    const { rewards, notes } = await call(client, 'get_claimable_rewards', { chain: publicName })
    expect([rewards, notes]).toMatchObject([
      [
        { symbol: 'USDC', amount: '125', pending: '4.2', doubt: null },
        { symbol: 'WETH', amount: '0.03', pending: '0', doubt: null },
      ],
      [expect.stringContaining('SVC_TRADING_API_KEY')],
    ])
    const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', chain: publicName }
    const { txHash } = await call(client, 'execute_swap', swap)
    expect(await askChain(ready, 'eth_getTransactionReceipt', txHash)).toMatchObject({ status: '0x1' })
    await client.close()
  })

  it.each([
    [['--mcp-port', '65536'], '--mcp-port takes a whole number from 0 to 65535, not "65536"'],
    [['--rpc-port', '8545x'], '--rpc-port takes a whole number from 0 to 65535, not "8545x"'],
    [['--chain-id', '0'], '--chain-id takes a whole number from 1 to'],
    [['--chain-id', '１'], '--chain-id takes a whole number'],
    [['--chain-id=-1'], '--chain-id takes a whole number'],
    [['--mcp-port', '4000', '--rpc-port', '4000'], '--mcp-port and --rpc-port cannot both be 4000'],
    [['--rpc-port', '4000', '--api-port', '4000'], '--rpc-port and --api-port cannot both be 4000'],
    [['--trading-dialect', 'lp'], '--trading-dialect goes with --trading-api'],
    [['--trading-api', '--trading-dialect', 'v2'], '--trading-dialect takes v1 or lp, not "v2"'],
    [['--profile', 'learn'], '--profile takes data, full or learning, not "learn"'],
    [['--data-dir', ''], '--data-dir takes the name of a directory'],
    [['--data-dir'], '--data-dir'],
    [['--json=yes'], '--json'],
    [['--no-such-flag'], '--no-such-flag'],
    [['extra'], 'extra'],
  ])('refuses with exit code 2, naming what is off: %j', async (flags, words) => {
    const world = run(process.execPath, [program, 'up', ...flags])
    opened.push(() => world.end())
    expect(await world.exited).toBe(2)
    expect(world.printed.stderr).toContain(words)
    expect(world.printed.stdout).toBe('')
    expect(world.leftFiles()).toEqual([])
  })
})

describe('svc up --data-dir', { timeout }, () => {
  it('keeps keys, wallet and a changed policy from run to run, and nothing of the chain that is gone', async () => {
    const directory = join(temporaryDirectory(), 'new')
    const first = up('--data-dir', directory)
    const before = await readyLine(first)
    expect(first.printed.stderr).not.toContain('is gone')
    const client = await connect(before)
    const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: 'local' }
    await call(client, 'execute_swap', swap)
    const known = new Set([
      '.env',
      'audit.jsonl',
      'balances.json',
      'chains.json',
      'local-world.json',
      'policy.json',
      'ready.json',
      'recorded.json',
      'server.lock',
      'server.lock-journal',
      'state.db',
      'state.db-shm',
      'state.db-wal',
      'support-api',
    ])
    expect(readdirSync(directory).filter((name) => !known.has(name))).toEqual([])
    expect(readdirSync(directory).filter((name) => (statSync(join(directory, name)).mode & 0o077) !== 0)).toEqual([])
    expect(JSON.parse(readFileSync(join(directory, 'ready.json'), 'utf8'))).toEqual(before)
    await client.close()
    await down(first)
    expect(readdirSync(directory)).not.toContain('ready.json')
    const policyPath = join(directory, 'policy.json')
    const policy = JSON.parse(readFileSync(policyPath, 'utf8')) as { limitsUsd: { perTransaction: string } }
    expect(policy).toMatchObject({
      twammHooks: { 31337: [{ hook: before.twamm.hook, pools: [before.twamm.pool.id] }] },
    })
    policy.limitsUsd.perTransaction = '100'
    writeFileSync(policyPath, JSON.stringify(policy))

    const second = up('--data-dir', directory)
    const after = await readyLine(second)
    expect(second.printed.stderr).toContain("The last run's chain is gone: its audit log, operations")
    expect(after.mcp.keys).toEqual(before.mcp.keys)
    expect(after.wallet).toEqual(before.wallet)
    const again = await connect(after)
    expect(await call(again, 'check_safety_status', {})).toMatchObject({
      limitsUsd: { perTransaction: '100' },
      spentUsd: { session: '0', daily: '0' },
      pendingTransactions: 0,
    })
    await expect(call(again, 'execute_swap', swap)).rejects.toThrow('SPENDING_LIMIT_EXCEEDED')
    await call(again, 'execute_swap', { ...swap, amount: '0.02' })
    const order = { ...swap, amount: '0.01', duration: 3_600 }
    expect(await call(again, 'submit_twamm_order', order)).toMatchObject({ pool: after.twamm.pool.id })
    await again.close()
    await down(second)
  })

  it('refuses a directory on which another runs, and disturbs neither it nor its files', async () => {
    const directory = temporaryDirectory()
    const first = up('--data-dir', directory)
    const ready = await readyLine(first)
    const second = up('--data-dir', directory)
    expect(await second.exited).toBe(1)
    expect(second.printed.stderr).toContain(`Another server runs on ${directory}.`)
    expect(second.printed.stdout).toBe('')
    const client = await connect(ready)
    await call(client, 'execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: 'local' })
    await client.close()
    await down(first)
  })

  it('comes up again on the directory of a process that was killed', async () => {
    const directory = temporaryDirectory()
    const first = up('--data-dir', directory)
    const before = await readyLine(first)
    process.kill(first.session, 'SIGKILL')
    await goneAfter(first)
    expect((await readyLine(up('--data-dir', directory))).wallet).toEqual(before.wallet)
  })

  it.each(['state.db', 'notes.txt'])('refuses a directory that holds something else, untouched: %s', async (name) => {
    const directory = join(temporaryDirectory(), 'theirs')
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    writeFileSync(join(directory, name), 'theirs', { mode: 0o644 })
    const world = up('--data-dir', directory)
    expect(await world.exited).toBe(1)
    expect(world.printed.stderr).toBe(
      `svc up: ${directory} holds something else than a local world. Name a new or an empty directory.\n`,
    )
    expect(readdirSync(directory)).toEqual([name])
    expect(readFileSync(join(directory, name), 'utf8')).toBe('theirs')
    expect(statSync(directory).mode & 0o777).toBe(0o755)
    await goneAfter(world)
  })

  it('takes a new directory with a policy and its cases, and holds to that policy', async () => {
    const directory = temporaryDirectory()
    const laidIn = { 'policy.json': '{"limitsUsd":{"perTransaction":"7"}}', 'policy.test.json': '{"cases":[]}' }
    for (const [name, text] of Object.entries(laidIn)) writeFileSync(join(directory, name), text, { mode: 0o600 })
    const world = up('--data-dir', directory)
    const client = await connect(await readyLine(world))
    const status = await call(client, 'check_safety_status', {})
    expect(status).toMatchObject({ limitsUsd: { perTransaction: '7' } })
    for (const [name, text] of Object.entries(laidIn)) expect(readFileSync(join(directory, name), 'utf8')).toBe(text)
    await client.close()
    await down(world)
  })

  it('refuses a damaged marker', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'local-world.json'), '{"privateKey":"0x1')
    const world = up('--data-dir', directory)
    expect(await world.exited).toBe(1)
    expect(world.printed.stderr).toContain('local-world.json is damaged')
  })
})

async function takenPort(): Promise<number> {
  const server = createServer()
  opened.push(() => new Promise((resolve) => server.close(resolve)))
  return listen(server)
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0)
    })
  })
}
