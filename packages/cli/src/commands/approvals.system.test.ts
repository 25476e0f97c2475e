import { mkdtempSync, readdirSync } from 'node:fs'
import { userInfo, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { acquireServerLock } from '@svc/store'
import { usePostgres } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { decide } from '../approvals/decide.ts'
import { openDirectory, plan, planHash } from '../../../tool-server/src/operator/operations.fixture.ts'
import { callCommand } from '../calls.fixture.ts'

const svc = (...words: readonly string[]) => callCommand(['approvals', ...words])

describe('svc approvals beside a running server', () => {
  it('lists what waits, aligned, and shows one in plain terms with strangers’ text escaped', async () => {
    const { dataDir, store } = await openDirectory([{}, { id: 'op-22', tool: 'execute_swap' }])
    const lock = await acquireServerLock(dataDir)
    const listed = await svc('list', '--data-dir', dataDir)
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    const [head = '', ...rows] = listed.stdout.trimEnd().split('\n')
    expect(rows.map((row) => row.split(/ +/)[0])).toEqual(['op-1', 'op-22'])
    for (const row of rows) expect(row.slice(head.indexOf('CALLER'))).toMatch(/^key:write:1f9c2a7e /)
    expect(listed.stdout).toMatch(/^[ -~\n]*$/)
    // To six digits, never less than what may leave; a program gets all of them.
    expect(listed.stdout).toContain(' 1.5 WETH + 4,500.01 "US')
    expect((await svc('list', '--json', '--data-dir', dataDir)).stdout).toContain('"amount":"4500.000001"')

    const shown = await svc('show', 'op-1', '--data-dir', dataDir)
    expect(shown.code).toBe(0)
    for (const text of [
      plan.why,
      'add_liquidity on base (chain 8453)',
      'key:write:1f9c2a7e',
      'at most 1.5 WETH, worth 4,500.00 USD',
      '1500000000000000000 with 18 decimals, token 0x4200000000000000000000000000000000000006',
      'at most 4,500.000001 "US\\u202eDC<img src=x onerror=...", worth 4,500.00 USD',
      '4500000001 with 6 decimals, token 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      'arrives    no token: it becomes the position',
      'a new position in the v3 pool WETH/"US\\u202eDC<img src=x onerror=..." at 0.3 %',
      'range 2,700 to 3,300 "US\\u202eDC<img src=x onerror=..." per WETH',
      'warnings   The price lies outside of <b>the</b> range',
      '9,000 USD of the spending limits',
      'about 0.61 USD, at worst 0.0008 ETH (2.40 USD) before fees are raised',
      planHash,
      'mint position: the v3 position manager 0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1',
      'with 0.001 ETH',
      'amount = 1500000000000000000: 1.5 WETH',
      'tickLower = -201360',
    ]) {
      expect(shown.stdout).toContain(text)
    }
    expect(shown.stdout).toMatch(/awaits a decision, [45]\d min \d+ s left/)
    expect(shown.stdout).toMatch(/^[ -~\n]*$/)
    lock.release()
    await store.close()
  })

  it('says of an id that is none, before it asks for anything else, what waits', async () => {
    const { dataDir, store } = await openDirectory([{}, { id: 'op-22' }])
    for (const word of ['approve', 'deny', 'show']) {
      expect(await svc(word, 'nosuch', '--data-dir', dataDir)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /There is no operation nosuch\. Awaiting a decision: op-\d+, op-\d+; svc approvals/,
        ),
      })
    }
    await store.close()
  })

  it('approves for a script that names the plan, once, and writes down who it was', async () => {
    const { dataDir, operations, store } = await openDirectory()
    const words = ['approve', 'op-1', '--data-dir', dataDir, '--yes', '--plan-hash']
    const other = await svc(...words, `0x${'00'.repeat(32)}`)
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect((await operations.byId('op-1'))?.state).toBe('awaiting_approval')
    const approved = await svc(...words, planHash, '--json')
    expect([approved.code, JSON.parse(approved.stdout)]).toEqual([0, { id: 'op-1', state: 'approved' }])
    const row = await operations.byId('op-1')
    expect(row).toMatchObject({ state: 'approved', decidedBy: `operator:${userInfo().username}` })
    expect((await svc(...words, planHash)).code).toBe(1)
    expect(await svc('deny', 'op-1', '--data-dir', dataDir)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('svc approvals cancel takes it back until it runs'),
    })
    expect(await operations.byId('op-1')).toEqual(row)
    await store.close()
  })

  it('says how an approved one is carried out, and warns of the same call approved before', async () => {
    const { dataDir, store } = await openDirectory([{}, { id: 'other', input: '{"amount0":"2"}' }])
    const words = ['approve', 'op-1', '--data-dir', dataDir, '--yes', '--plan-hash', planHash]
    expect((await svc(...words)).stdout).toMatch(
      /calls execute_plan with planId op-1, or repeats its call under the same/,
    )
    const again = await store.operations.create({
      ...(await store.operations.byId('other'))!,
      id: 'again',
      state: 'awaiting_approval',
      input: (await store.operations.byId('op-1'))!.input,
    })
    const warned = 'The same call of the same caller was approved already'
    const shown = await svc('show', again.id, '--data-dir', dataDir)
    expect(shown.stdout).toMatch(new RegExp(`${warned}, at 20.*Z: operation op-1 is approved`))
    expect((await svc('show', 'other', '--data-dir', dataDir)).stdout).not.toContain(warned)
    expect((await svc('list', '--json', '--data-dir', dataDir)).stdout.split(warned)).toHaveLength(2)
    await store.close()
  })

  it('denies, and says so to machines', async () => {
    const { dataDir, operations, store } = await openDirectory()
    expect((await svc('deny', 'op-1', '--data-dir', dataDir)).stdout).toBe('Denied.\n')
    expect((await operations.byId('op-1'))?.state).toBe('denied')
    expect((await svc('list', '--all', '--data-dir', dataDir)).stdout).toMatch(/^op-1 +denied .*\d\.\d\d$/m)
    expect((await svc('list', '--caller', 'api-key:0', '--data-dir', dataDir)).stdout).toBe(
      'No operation of the caller api-key:0 awaits a decision, is approved or is scheduled. svc keys list prints the callers of this server.\n',
    )
    const { stdout } = await svc('list', '--all', '--json', '--data-dir', dataDir)
    expect(JSON.parse(stdout)).toMatchObject({ operations: [{ id: 'op-1', state: 'denied', planHash }] })
    expect((await svc('list', '--data-dir', dataDir)).stdout).toBe(
      'No operation awaits a decision, is approved or is scheduled.\n',
    )
    await store.close()
  })

  it('lists and cancels what is scheduled or approved, and refuses what runs', async () => {
    const executeAfter = Date.now() + 60_000
    const { dataDir, operations, store } = await openDirectory([
      { state: 'scheduled', expiresAt: null, executeAfter },
      { id: 'op-2' },
      { id: 'op-3', state: 'planned' },
    ])
    const lock = await acquireServerLock(dataDir)
    await operations.decide('op-2', { approved: true, by: 'operator:cli', planHash })
    await operations.claim('op-3', { requestId: 'r' })
    const { stdout } = await svc('list', '--data-dir', dataDir)
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^op-1 +scheduled .* ${new Date(executeAfter).toISOString()}$`)),
      expect.stringMatching(/^op-2 +approved /),
    ])
    expect(await svc('cancel', 'op-1', '--data-dir', dataDir)).toMatchObject({ code: 0, stderr: '' })
    const cancelled = await svc('cancel', 'op-2', '--data-dir', dataDir, '--json')
    expect([cancelled.code, JSON.parse(cancelled.stdout)]).toEqual([0, { id: 'op-2', state: 'cancelled' }])
    for (const id of ['op-1', 'op-2']) {
      const decidedBy = `operator:${userInfo().username}`
      expect(await operations.byId(id)).toMatchObject({ state: 'cancelled', decidedBy })
    }
    expect(await svc('cancel', 'op-3', '--data-dir', dataDir)).toMatchObject({ code: 1, stdout: '' })
    expect((await operations.byId('op-3'))?.state).toBe('running')
    expect((await svc('cancel', 'nothing', '--data-dir', dataDir)).code).toBe(1)
    expect((await svc('cancel')).code).toBe(2)
    lock.release()
    await store.close()
  })

  it('hides nothing of one caller behind what another has made many of, and says what it leaves out', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ id: `many-${index}` }))
    const { dataDir, store } = await openDirectory([...many, { id: 'one', principalId: 'key:write:other' }])
    const lines = async (...words: readonly string[]) => {
      const { stdout } = await svc('list', '--data-dir', dataDir, ...words)
      return stdout.trimEnd().split('\n').slice(1)
    }
    const listed = await lines()
    expect(listed.map((line) => line.split(/ +/)[0]).slice(0, 3)).toEqual(['many-0', 'one', 'many-1'])
    expect(listed.slice(21)).toEqual([
      'and 10 more of key:write:1f9c2a7e that await a decision',
      'All of one caller: svc approvals list --caller ID',
    ])
    const own = await lines('--caller', 'key:write:1f9c2a7e')
    expect(own.map((line) => line.split(/ +/)[0])).toEqual(many.map(({ id }) => id))
    await store.close()
  })

  it('refuses what is unclear and a directory that is none, and changes nothing', async () => {
    const { dataDir, operations, store } = await openDirectory([{}, { id: 'late', expiresAt: Date.now() - 1 }])
    const at = ['--data-dir', dataDir]
    for (const [code, ...words] of [
      [2, 'approve', 'op-1', ...at, '--yes'],
      [2, 'approve', 'op-1', ...at],
      [2, 'approve', 'op-1', ...at, '--yes', '--plan-hash', planHash.toUpperCase()],
      [2, 'approve'],
      [2, 'show', '../x', ...at],
      [2, 'swallow'],
      [1, 'show', 'nothing', ...at],
      [1, 'approve', 'late', ...at, '--yes', '--plan-hash', planHash],
    ] as const) {
      expect([words, await svc(...words)]).toEqual([words, expect.objectContaining({ code })])
    }
    expect((await operations.byId('op-1'))?.state).toBe('awaiting_approval')
    await store.close()
    const empty = mkdtempSync(join(tmpdir(), 'svc-approvals-'))
    const refused = await svc('list', '--data-dir', empty)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('holds no state of a server')
    expect(readdirSync(empty)).toEqual([])
  })

  it.each([
    ['yes\n', 0, 'approved'],
    ['y\n', 1, 'awaiting_approval'],
    ['\n', 1, 'awaiting_approval'],
    ['', 1, 'awaiting_approval'],
  ])('asks on a terminal, where %j leads to exit code %i and %s', async (typed, code, state) => {
    const { dataDir, operations, store } = await openDirectory()
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const output = new PassThrough()
    input.end(typed)
    const never = new Promise<never>(() => {})
    expect(await decide('approve', ['op-1', '--data-dir', dataDir], never, { input, output })).toBe(code)
    expect((await operations.byId('op-1'))?.state).toBe(state)
    expect(String(output.read())).toContain(planHash)
    await store.close()
  })
})

describe('svc approvals on PostgreSQL', () => {
  const postgres = usePostgres()

  it('decides in the database the server names, whatever the directory holds', async () => {
    const { dataDir, operations, store } = await openDirectory([{}], postgres().url)
    const env = { SVC_DATABASE_URL: postgres().url, SVC_DATA_DIR: dataDir }
    const there = (...words: readonly string[]) => callCommand(['approvals', ...words], env)
    expect((await there('list')).stdout).toContain('op-1')
    const approved = await there('approve', 'op-1', '--yes', '--plan-hash', planHash)
    expect(approved).toMatchObject({ code: 0, stderr: '' })
    expect((await operations.byId('op-1'))?.state).toBe('approved')
    expect(await there('cancel', 'op-1')).toMatchObject({ code: 0, stderr: '' })
    expect((await operations.byId('op-1'))?.state).toBe('cancelled')
    await store.close()
  })
})
