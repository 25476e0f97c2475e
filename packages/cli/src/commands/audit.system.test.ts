import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { call, connect } from '../clients.fixture.ts'
import { readyLine, runToEnd, runUp } from '../processes.fixture.ts'

const timeout = 300_000

let directory: string
const opened: (() => unknown)[] = []
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  rmSync(directory, { recursive: true, force: true })
})

const svc = (...[name, ...words]: Parameters<typeof callCommand>[0]) =>
  callCommand([name, ...words, '--data-dir', directory])

describe('svc audit, beside a running server', { timeout }, () => {
  it('verifies, shows and replays what an agent did, and names the line that somebody changed', async () => {
    const world = runUp(['--data-dir', directory])
    opened.push(() => world.end())
    const ready = await readyLine(world)
    const client = await connect(ready)
    opened.push(() => client.close())
    const swap = { chain: 'local', tokenIn: 'USDC', tokenOut: 'WETH', amount: '10' }
    const { txHash } = await call(client, 'execute_swap', swap)
    const listed = (await svc('transactions', 'list', '--all')).stdout
    expect(listed).toMatch(/ execute_swap +1 approve the exact amount [^]* execute_swap +2 swap /)
    const order = await call(client, 'submit_uniswapx_order', {
      ...swap,
      tokenIn: 'WETH',
      tokenOut: 'USDC',
      amount: '0.1',
    })
    const filled = { result: { status: 'filled', isFinal: true } }
    await expect
      .poll(() => call(client, 'get_operation', { operationId: order['operationId'] }), { timeout })
      .toMatchObject(filled)
    const refused = await fetch(ready.mcp.url, { method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(refused.status).toBe(401)

    const whole = await svc('audit', 'verify')
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Whole: \d+ lines, up to number \d+/) })
    const table = await svc('audit', 'show', '--tool', 'execute_swap')
    expect(table.stdout).toMatch(/tool\.called .*execute_swap/)
    expect(table.stdout).toContain(`tx ${String(txHash)}`)
    const asked = JSON.parse(
      (await svc('audit', 'show', '--event', 'tool.called', '--tool', 'execute_swap', '--json')).stdout,
    )
    expect(asked).toMatchObject({ params: swap, actor: { stage: 'api-key', tier: 'write' } })
    const ofRequest = await svc('audit', 'show', '--request', asked.requestId, '--json')
    expect(ofRequest.stdout.trim().split('\n').length).toBeGreaterThan(4)
    // Refused callers are counted for a while before the line is written.
    await expect
      .poll(async () => (await svc('audit', 'show', '--event', 'auth')).stdout)
      .toMatch(/auth\.failed .*count 1/)
    expect((await svc('audit', 'show', '--since', '2999-01-01')).stdout).toBe('No line fits.\n')

    const today = new Date().toISOString().slice(0, 10)
    const replayed = await runToEnd(['audit', 'replay', '--day', today, '--data-dir', directory])
    expect(replayed).toMatchObject({ code: 0, stdout: expect.stringMatching(/swap.* agrees at block \d+/) })
    const [own, other] = [ready.rpc.url, ready.crossChain.url]
    expect(replayed.stderr).toBe(
      (
        [
          [31337, own],
          [31338, other],
        ] as const
      )
        .map(([id, url]) => `Local world: chain ${id} at ${url}, from ${join(directory, 'chains.json')}.\n`)
        .join(''),
    )
    const named = await svc('audit', 'replay', '--day', today, '--rpc-url', ready.rpc.url)
    expect(named).toEqual({ ...replayed, stderr: '' })
    const never = await svc('audit', 'replay', '--day', '2020-02-02')
    expect(never.stdout).toBe('Nothing on record was signed on 2020-02-02 (UTC).\n')

    const planned = await call(client, 'execute_swap', { ...swap, dryRun: true })
    const explained = await svc('policy', 'explain', (planned['plan'] as { readonly planId: string }).planId)
    expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining('chain       local (31337)') })
    expect(explained.stderr).toBe(
      `Local world: chains from ${join(directory, 'chains.json')}, ` +
        `wallet ${ready.wallet.address} from ${join(directory, 'local-world.json')}.\n`,
    )
    expect(replayed.stdout).toMatch(/agree with the record, 0 differ/)

    const path = join(directory, 'audit.jsonl')
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace('"amount":"10"', '"amount":"11"'))
    const broken = await runToEnd(['audit', 'verify', '--data-dir', directory])
    expect(broken).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Broken: line \d+ of audit\.jsonl was changed/),
    })
  })

  it('shows what was decided about which operation, and which policy came', async () => {
    const lines = [
      { event: 'tx.approval.decided', operationId: 'op-1', approved: false },
      { event: 'policy.changed', policyHash: 'ab'.repeat(32) },
    ]
    writeFileSync(join(directory, 'audit.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { stdout } = await svc('audit', 'show')
    expect(stdout).toMatch(/tx\.approval\.decided +denied +operation op-1\n/)
    expect(stdout).toMatch(/policy\.changed +policy abababababab\n/)
  })

  it('refuses words it does not know', async () => {
    expect(await svc('audit', 'burn')).toMatchObject({ code: 2 })
    writeFileSync(join(directory, 'audit.jsonl'), '')
    expect(await svc('audit', 'replay', '--day', 'yesterday')).toMatchObject({ code: 2 })
    expect(await svc('audit', 'show', '--since', 'yesterday')).toMatchObject({ code: 2 })
    expect(await svc('audit', 'verify', '--from', '0')).toMatchObject({ code: 2 })
    expect(await svc('audit', 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Whole: 0 lines\.\n/),
    })
  })
})
